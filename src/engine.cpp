#include "engine.h"

#include <algorithm>
#include <cstring>

#include "base/loaded_object.h"
#include "base/message.h"
#include "bindings.h"
#include "plan_tag.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::Span;
using nvinfer1::ICudaEngine;

namespace {

// What TensorRT writes when a sound plan was built for another GPU.
constexpr const char* kOtherGpuTexts[] = {
    "incompatible device",
    "compute capability",
    "expecting compute",
    "SM version",
    "Target GPU SM"};

bool tells_of_another_gpu(const char* text) {
  return std::any_of(
      std::begin(kOtherGpuTexts), std::end(kOtherGpuTexts), [text](const char* part) {
        return std::strstr(text, part) != nullptr;
      });
}

// TensorRT's own reason follows in each message; equal versions are never blamed.
Error explain_refused_plan(Span<const std::uint8_t> plan) {
  const TensorRtVersion loaded = loaded_tensorrt_version();
  const auto built = read_plan_version(plan.data(), plan.size());
  if (!built) {
    return message::plan_unknown();
  }
  if (*built != loaded) {
    const ObjectPath library = find_object_of(reinterpret_cast<const void*>(&getInferLibVersion));
    return message::plan_version(
        built->major,
        built->minor,
        built->patch,
        built->build,
        loaded.major,
        loaded.minor,
        loaded.patch,
        loaded.build,
        library.text);
  }
  return tells_of_another_gpu(last_tensorrt_error()) ? message::plan_gpu()
                                                     : message::plan_refused();
}

bool set_budget(ICudaEngine& engine, std::int64_t bytes) {
  return engine.setWeightStreamingBudgetV2(bytes);
}

// Before the execution context exists: TensorRT takes no budget after it.
Error set_weight_budget(ICudaEngine& engine, const LoadOptions& options) {
  const std::int64_t streamable = engine.getStreamableWeightsSize();
  if (streamable <= 0) {
    if (options.weight_streaming_budget) {
      (void)message::budget_unused(*options.weight_streaming_budget);
    }
    return Error::Ok;
  }
  if (options.weight_streaming_budget) {
    const std::int64_t bytes = std::min(*options.weight_streaming_budget, streamable);
    return set_budget(engine, bytes) ? Error::Ok : message::budget_refused(bytes);
  }
  const std::int64_t automatic = engine.getWeightStreamingAutomaticBudget();
  if (automatic >= 0 && set_budget(engine, automatic)) {
    return Error::Ok;
  }
  (void)message::budget_fallback(automatic);
  return set_budget(engine, 0) ? Error::Ok : message::budget_refused(0);
}

Error make_context(const LoadOptions& options, Engine& engine) {
  using Strategy = nvinfer1::ExecutionContextAllocationStrategy;
  Strategy strategy = Strategy::kSTATIC;
  if (options.shares_activation_memory) {
    const std::int64_t bytes = engine.engine->getDeviceMemorySizeV2();
    if (bytes < 0) {
      return message::engine_query_failed("getDeviceMemorySizeV2");
    }
    Result<ActivationShare> share =
        ActivationShare::join(engine.device, static_cast<std::size_t>(bytes));
    if (!share.ok()) {
      return share.error();
    }
    engine.activation = std::move(share.get());
    strategy = Strategy::kUSER_MANAGED;
  }
  engine.context.reset(engine.engine->createExecutionContext(strategy));
  return engine.context != nullptr ? Error::Ok : message::context_refused(index_of(engine.device));
}

Error read_device_traits(Engine& engine) {
  int is_integrated = 0;
  const Error error = check_cuda(
      cudaDeviceGetAttribute(&is_integrated, cudaDevAttrIntegrated, index_of(engine.device)),
      "cudaDeviceGetAttribute");
  engine.is_integrated = is_integrated != 0;
  return error;
}

// Where a copy by way of pinned memory beats CUDA's own of pageable memory, measured on an H200
// with driver 580: outputs from 4 KiB (7.6 against 10.3 us), inputs from 64 KiB, both to 512 KiB.
constexpr std::size_t kLeastPinnedInputBytes = std::size_t{64} << 10;
constexpr std::size_t kLeastPinnedOutputBytes = std::size_t{4} << 10;
constexpr std::size_t kMostPinnedBytes = std::size_t{512} << 10;

} // namespace

bool gains_by_pinning(const Binding& binding, std::size_t bytes) {
  return bytes <= kMostPinnedBytes &&
      bytes >= (binding.is_input ? kLeastPinnedInputBytes : kLeastPinnedOutputBytes);
}

Result<Engine> load_engine(
    Span<const std::uint8_t> plan,
    const Metadata& metadata,
    const LoadOptions& options,
    int device_count) {
  Engine engine;
  engine.device = options.device;
  engine.is_only_device = device_count == 1;
  engine.is_device_chosen = options.is_device_chosen && options.is_device_tagged;
  engine.alignment_mask = options.alignment - 1;
  Error error = read_device_traits(engine);
  if (error != Error::Ok) {
    return error;
  }
  Result<RuntimeLease> lease = RuntimeLease::take(engine.device);
  if (!lease.ok()) {
    return lease.error();
  }
  engine.runtime = std::move(lease.get());
  engine.engine = engine.runtime.deserialize(plan.data(), plan.size());
  if (engine.engine == nullptr) {
    forget_cuda_error();
    return explain_refused_plan(plan);
  }
  error = set_weight_budget(*engine.engine, options);
  if (error == Error::Ok) {
    error = bind_metadata(metadata, engine);
  }
  if (error == Error::Ok) {
    error = engine.scratch.reserve(1, engine.device);
  }
  if (error == Error::Ok) {
    error = make_context(options, engine);
  }
  if (error != Error::Ok) {
    return error;
  }
  return engine;
}

} // namespace executorch_backend_tensorrt
