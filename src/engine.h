#pragma once

#include <cstdint>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include "activation.h"
#include "base/cuda.h"
#include "base/list.h"
#include "base/tensorrt.h"
#include "load_options.h"
#include "metadata.h"

namespace executorch_backend_tensorrt {

inline constexpr int kMaxRank = nvinfer1::Dims::MAX_DIMS;

/// A shape as ExecuTorch counts: plain numbers, none dynamic.
struct Shape {
  std::int32_t rank = 0;
  std::int32_t sizes[kMaxRank] = {};
};

/// What one profile allows for one input.
struct Bounds {
  Shape min;
  Shape max;
};

/// How a caller's buffer reaches the engine in the present call.
enum class Route : std::uint8_t {
  kInPlace,             ///< bound as it is
  kStagedFromHost,      ///< through `staging`, copied over the bus
  kStagedThroughPinned, ///< the same from pageable memory, by way of `pinned`
  kStagedOnDevice,      ///< through `staging`, because the caller's is not aligned enough
};

/// One input or output of the engine: what it is, what TensorRT has now, the present call.
struct Binding {
  const char* name = nullptr; ///< borrowed from the engine
  executorch::aten::ScalarType dtype = executorch::aten::ScalarType::Undefined;
  std::uint32_t element_bytes = 0;
  bool is_input = false;
  bool is_aliased = false; ///< input: an output is written into it
  std::int32_t alias = -1; ///< output: index of the input whose storage it shares, -1 for none

  Shape shape;                         ///< as TensorRT has it, meaningful while Engine::has_shapes
  std::int32_t strides[kMaxRank] = {}; ///< of that shape, in elements
  std::size_t bytes = 0;               ///< of that shape
  bool gains_by_pinning = false;       ///< a copy of so many bytes is faster by way of `pinned`
  void* address = nullptr;             ///< as TensorRT has it

  Shape wanted;           ///< input: the shape asked for by the present call, before it is accepted
  void* caller = nullptr; ///< the caller's buffer in the present call
  void* place = nullptr;  ///< where the engine is to find it
  Route route = Route::kInPlace;
  bool is_alignment_told = false;
  DeviceMemory staging; ///< owned, only grows
  PinnedMemory pinned;  ///< owned, only grows; empty when it would not help

  const char* direction() const { return is_input ? "input" : "output"; }
};

/// Whether copies of so many bytes to or from pageable memory are faster by way of pinned memory.
bool gains_by_pinning(const Binding& binding, std::size_t bytes);

/// A part of an engine's bindings. Two pointers, so that a loop over it computes nothing.
class BindingRange {
 public:
  BindingRange() = default;
  BindingRange(Binding* begin, Binding* end) : begin_(begin), end_(end) {}
  Binding* begin() const { return begin_; }
  Binding* end() const { return end_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  Binding& operator[](std::size_t i) const { return begin_[i]; }

 private:
  Binding* begin_ = nullptr;
  Binding* end_ = nullptr;
};

/// A loaded engine with everything execute needs. Not thread-safe; owned by one handle.
/// Members go in reverse order: context, activation memory, engine, runtime, buffers.
struct Engine {
  DeviceId device{};
  bool is_only_device = false;   ///< no other GPU could be current
  bool is_integrated = false;    ///< host memory is the GPU's memory
  bool is_device_chosen = false; ///< by the option, against the program's own mark
  bool is_static = true;         ///< every input has one shape only
  std::uintptr_t alignment_mask = 255;

  List<Binding> bindings; ///< inputs, then outputs: the order of a call's arguments
  BindingRange inputs;    ///< the first part of `bindings`
  BindingRange outputs;   ///< the rest
  List<Bounds> bounds;    ///< [profile * inputs.size() + input]
  DeviceMemory scratch;   ///< one byte for tensors of zero bytes
  int profile_count = 0;
  int profile = 0;         ///< the one TensorRT has now
  bool has_shapes = false; ///< shapes of all bindings are TensorRT's

  RuntimeLease runtime;
  Owned<nvinfer1::ICudaEngine> engine;
  ActivationShare activation;
  const void* activation_address = nullptr; ///< the shared block as TensorRT has it
  Owned<nvinfer1::IExecutionContext> context;

  BindingRange all() const { return {inputs.begin(), outputs.end()}; }
  /// Says how many of `bindings`, all there now, are inputs.
  void split_bindings(std::size_t input_count) {
    Binding* const first_output = bindings.data() + input_count;
    inputs = {bindings.begin(), first_output};
    outputs = {first_output, bindings.end()};
  }
  const Bounds& bounds_of(int profile_index, std::size_t input) const {
    return bounds[static_cast<std::size_t>(profile_index) * inputs.size() + input];
  }
};

/// Deserialises `plan` (borrowed for the call), sets the weight budget, reconciles the bindings and
/// makes the context. The engine's GPU must be current and `device_count` be count_devices().
/// Errors: InvalidProgram, DelegateInvalidCompatibility, NotSupported, MemoryAllocationFailed.
executorch::runtime::Result<Engine> load_engine(
    executorch::runtime::Span<const std::uint8_t> plan,
    const Metadata& metadata,
    const LoadOptions& options,
    int device_count);

} // namespace executorch_backend_tensorrt
