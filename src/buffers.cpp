#include "buffers.h"

#include <algorithm>
#include <cstring>

#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Span;

namespace {

const char* direction_of(const Binding& binding) {
  return binding.is_input ? "input" : "output";
}

[[gnu::cold, gnu::noinline]] Error report_other_gpu(
    const Engine& engine, const Binding& binding, int where) {
  const int own = index_of(engine.device);
  return engine.is_device_chosen
      ? message::buffer_other_gpu_chosen(direction_of(binding), where, own, binding.name)
      : message::buffer_other_gpu(direction_of(binding), where, own, binding.name);
}

// A thread that has used no GPU yet has no context, and then no device memory seems usable from it.
[[gnu::cold, gnu::noinline]] Error locate_unusable(
    const Engine& engine, const Binding& binding, cudaPointerAttributes& attributes) {
  if (attributes.device == index_of(engine.device)) {
    Error error = check_cuda(cudaFree(nullptr), "cudaFree, to open the GPU's context");
    if (error == Error::Ok) {
      error = check_cuda(
          cudaPointerGetAttributes(&attributes, binding.caller), "cudaPointerGetAttributes");
    }
    if (error != Error::Ok) {
      return error;
    }
  }
  // Still null for another GPU's memory that no peer mapping opens to this one.
  return attributes.devicePointer != nullptr ? Error::Ok
                                             : report_other_gpu(engine, binding, attributes.device);
}

// Where the caller's buffer is: `device_pointer` where the engine can use it as it is, null for
// host memory that has to be staged.
struct Location {
  void* device_pointer;
  bool is_pageable;
};

inline Error locate(const Engine& engine, const Binding& binding, Location& location) {
  cudaPointerAttributes attributes;
  const cudaError_t status = cudaPointerGetAttributes(&attributes, binding.caller);
  if (status != cudaSuccess) {
    return report_cuda(status, "cudaPointerGetAttributes");
  }
  const bool is_gpu_memory =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  if (is_gpu_memory && attributes.devicePointer == nullptr) {
    const Error error = locate_unusable(engine, binding, attributes);
    if (error != Error::Ok) {
      return error;
    }
  }
  location.device_pointer =
      is_gpu_memory || engine.is_integrated ? attributes.devicePointer : nullptr;
  location.is_pageable = attributes.type == cudaMemoryTypeUnregistered;
  return Error::Ok;
}

inline Error stage(const Engine& engine, Binding& binding, Route route) {
  binding.route = route;
  if (binding.staging.bytes() < binding.bytes) {
    const Error error = binding.staging.reserve(binding.bytes, engine.device);
    if (error != Error::Ok) {
      return error;
    }
  }
  binding.place = binding.staging.data();
  return Error::Ok;
}

// Where a copy by way of pinned memory beats CUDA's own of pageable memory, measured on an H200
// with driver 580: outputs from 4 KiB (7.6 against 10.3 us), inputs from 64 KiB, both to 512 KiB.
constexpr std::size_t kLeastPinnedInputBytes = std::size_t{64} << 10;
constexpr std::size_t kLeastPinnedOutputBytes = std::size_t{4} << 10;
constexpr std::size_t kMostPinnedBytes = std::size_t{512} << 10;

bool gains_by_pinning(const Binding& binding, std::size_t bytes) {
  return bytes <= kMostPinnedBytes &&
      bytes >= (binding.is_input ? kLeastPinnedInputBytes : kLeastPinnedOutputBytes);
}

inline Error stage_from_host(const Engine& engine, Binding& binding, bool is_pageable) {
  const bool is_pinned = is_pageable && gains_by_pinning(binding, binding.bytes) &&
      binding.pinned.reserve(binding.bytes);
  return stage(engine, binding, is_pinned ? Route::kStagedThroughPinned : Route::kStagedFromHost);
}

[[gnu::noinline]] Error stage_unaligned(const Engine& engine, Binding& binding) {
  if (!binding.is_alignment_told) {
    binding.is_alignment_told = true;
    (void)message::buffer_alignment(
        direction_of(binding), engine.alignment_mask + 1, binding.bytes, binding.name);
  }
  return stage(engine, binding, Route::kStagedOnDevice);
}

[[gnu::noinline]] Error place_without_buffer(const Engine& engine, Binding& binding) {
  if (binding.bytes != 0) {
    return message::buffer_null(direction_of(binding), binding.bytes, binding.name);
  }
  binding.route = Route::kInPlace;
  binding.place = engine.scratch.data();
  return Error::Ok;
}

bool is_aligned(const Engine& engine, const void* pointer) {
  return (reinterpret_cast<std::uintptr_t>(pointer) & engine.alignment_mask) == 0;
}

inline Error place(void* data, const Engine& engine, Binding& binding) {
  binding.caller = data;
  if (data == nullptr || binding.bytes == 0) {
    return place_without_buffer(engine, binding);
  }
  Location location{};
  const Error error = locate(engine, binding, location);
  if (error != Error::Ok) {
    return error;
  }
  if (location.device_pointer == nullptr) {
    return binding.is_aliased ? message::alias_on_host(binding.name)
                              : stage_from_host(engine, binding, location.is_pageable);
  }
  if (!is_aligned(engine, location.device_pointer)) {
    return stage_unaligned(engine, binding);
  }
  binding.place = location.device_pointer;
  binding.route = Route::kInPlace;
  return Error::Ok;
}

// Lives in its input's storage; the caller's own buffer, if another, is only copied to.
Error place_alias(void* data, const Engine& engine, Binding& output) {
  const Binding& input = engine.inputs[static_cast<std::size_t>(output.alias)];
  output.caller = data;
  output.place = input.place;
  output.route = Route::kInPlace;
  if (output.bytes == 0 || data == input.caller) {
    return Error::Ok;
  }
  if (data == nullptr) {
    return message::buffer_null("output", output.bytes, output.name);
  }
  Location location{};
  return locate(engine, output, location);
}

Error copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, StreamWork& work) {
  work.is_queued = true;
  return check_cuda(cudaMemcpyAsync(to, from, bytes, kind, work.stream), "cudaMemcpyAsync");
}

Error copy_out(void* to, const Binding& binding, cudaMemcpyKind kind, StreamWork& work) {
  const cudaError_t status = cudaMemcpyAsync(to, binding.place, binding.bytes, kind, work.stream);
  if (status == cudaSuccess) {
    return Error::Ok;
  }
  forget_cuda_error();
  return message::output_copy_failed(
      cudaGetErrorString(status), static_cast<int>(status), binding.name);
}

Error stage_alias_output(const Engine& engine, const Binding& output, StreamWork& work) {
  const Binding& input = engine.inputs[static_cast<std::size_t>(output.alias)];
  Error error = Error::Ok;
  // The update went into an aligned copy of the caller's input.
  if (input.route == Route::kStagedOnDevice) {
    error = copy_out(input.caller, input, cudaMemcpyDeviceToDevice, work);
  }
  if (error == Error::Ok && output.bytes != 0 && output.caller != input.caller) {
    error = copy_out(output.caller, output, cudaMemcpyDefault, work);
  }
  return error;
}

// What a dynamic tensor may reserve for shapes that never come; a larger one grows on first use.
constexpr std::size_t kMostSpeculativeBytes = std::size_t{64} << 20;

// Bytes at the largest shape that any profile allows; 0 when they do not fit.
std::size_t largest_bytes(const Engine& engine, std::size_t input) {
  std::uint64_t most = 0;
  for (int profile = 0; profile < engine.profile_count; ++profile) {
    const Shape& max = engine.bounds_of(profile, input).max;
    std::uint64_t bytes = engine.inputs[input].element_bytes;
    for (std::int32_t d = 0; d < max.rank; ++d) {
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(max.sizes[d]), &bytes)) {
        return 0;
      }
    }
    most = std::max(most, bytes);
  }
  return most;
}

} // namespace

Error place_buffers(Span<EValue*> args, Engine& engine) {
  EValue* const* value = args.data();
  for (Binding& binding : engine.bindings) {
    void* data = (*value++)->payload.as_tensor.mutable_data_ptr();
    const Error error =
        binding.alias < 0 ? place(data, engine, binding) : place_alias(data, engine, binding);
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

Error stage_inputs(Engine& engine, StreamWork& work) {
  for (const Binding& input : engine.inputs) {
    if (input.route == Route::kInPlace) {
      continue;
    }
    const void* source = input.caller;
    if (input.route == Route::kStagedThroughPinned) {
      std::memcpy(input.pinned.data(), input.caller, input.bytes);
      source = input.pinned.data();
    }
    const auto kind =
        input.route == Route::kStagedOnDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    const Error error = copy(input.place, source, input.bytes, kind, work);
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

Error stage_outputs(Engine& engine, StreamWork& work) {
  for (const Binding& output : engine.outputs) {
    Error error = Error::Ok;
    if (output.alias >= 0) {
      error = stage_alias_output(engine, output, work);
    } else if (output.route != Route::kInPlace) {
      const auto kind = output.route == Route::kStagedOnDevice ? cudaMemcpyDeviceToDevice
                                                               : cudaMemcpyDeviceToHost;
      void* target =
          output.route == Route::kStagedThroughPinned ? output.pinned.data() : output.caller;
      error = copy_out(target, output, kind, work);
    }
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

void unpin_outputs(const Engine& engine) {
  for (const Binding& output : engine.outputs) {
    if (output.route == Route::kStagedThroughPinned) {
      std::memcpy(output.caller, output.pinned.data(), output.bytes);
    }
  }
}

Error reserve_staging(Engine& engine, bool is_host_resident) {
  if (!is_host_resident || engine.is_integrated) {
    return Error::Ok;
  }
  const auto reserve = [&engine](Binding& binding, std::size_t bytes) {
    if (gains_by_pinning(binding, bytes)) {
      (void)binding.pinned.reserve(bytes);
    }
    return engine.is_static || bytes <= kMostSpeculativeBytes
        ? binding.staging.reserve(bytes, engine.device)
        : Error::Ok;
  };
  Error error = Error::Ok;
  for (std::size_t i = 0; error == Error::Ok && i < engine.inputs.size(); ++i) {
    if (!engine.inputs[i].is_aliased) {
      error = reserve(engine.inputs[i], largest_bytes(engine, i));
    }
  }
  for (Binding& output : engine.outputs) {
    if (error == Error::Ok && output.alias < 0 && engine.has_shapes) {
      error = reserve(output, output.bytes);
    }
  }
  return error;
}

} // namespace executorch_backend_tensorrt
