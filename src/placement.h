#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>
#include <executorch/runtime/core/error.h>

#include "base/cuda.h"
#include "base/message.h"
#include "engine.h"

namespace executorch_backend_tensorrt {

/// Where a caller's buffer is.
struct Location {
  void* device_pointer; ///< where the engine can use it as it is, null for host memory to be staged
  bool is_pageable;
};

/// The less common places of a buffer. Errors: as place.
executorch::runtime::Error locate_unusable(
    const Engine& engine, const Binding& binding, cudaPointerAttributes& attributes);
executorch::runtime::Error stage_unaligned(const Engine& engine, Binding& binding);
executorch::runtime::Error place_without_buffer(const Engine& engine, Binding& binding);
executorch::runtime::Error place_alias(const Engine& engine, Binding& output);

/// Asks CUDA about the caller's buffer. Errors: as place.
inline executorch::runtime::Error locate(
    const Engine& engine, const Binding& binding, Location& location) {
  cudaPointerAttributes attributes;
  const cudaError_t status = cudaPointerGetAttributes(&attributes, binding.caller);
  if (status != cudaSuccess) {
    return report_cuda(status, "cudaPointerGetAttributes");
  }
  const bool is_gpu_memory =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  if (is_gpu_memory && attributes.devicePointer == nullptr) {
    const executorch::runtime::Error error = locate_unusable(engine, binding, attributes);
    if (error != executorch::runtime::Error::Ok) {
      return error;
    }
  }
  location.device_pointer =
      is_gpu_memory || engine.is_integrated ? attributes.devicePointer : nullptr;
  location.is_pageable = attributes.type == cudaMemoryTypeUnregistered;
  return executorch::runtime::Error::Ok;
}

/// Gives the binding its device buffer for this call. Errors: MemoryAllocationFailed.
inline executorch::runtime::Error stage(const Engine& engine, Binding& binding, Route route) {
  binding.route = route;
  if (binding.staging.bytes() < binding.bytes) {
    const executorch::runtime::Error error = binding.staging.reserve(binding.bytes, engine.device);
    if (error != executorch::runtime::Error::Ok) {
      return error;
    }
  }
  binding.place = binding.staging.data();
  return executorch::runtime::Error::Ok;
}

inline executorch::runtime::Error stage_from_host(
    const Engine& engine, Binding& binding, bool is_pageable) {
  const bool is_pinned =
      binding.gains_by_pinning && is_pageable && binding.pinned.reserve(binding.bytes);
  return stage(engine, binding, is_pinned ? Route::kStagedThroughPinned : Route::kStagedFromHost);
}

inline bool is_aligned(const Engine& engine, const void* pointer) {
  return (reinterpret_cast<std::uintptr_t>(pointer) & engine.alignment_mask) == 0;
}

/// Decides where the engine finds a binding: the caller's buffer `data` in place, a device buffer
/// of the handle, or the storage of an aliased input, which must have its place. One pointer query;
/// queues nothing. Errors: InvalidArgument naming the tensor; MemoryAllocationFailed.
inline executorch::runtime::Error place(void* data, const Engine& engine, Binding& binding) {
  binding.caller = data;
  if (binding.alias >= 0) {
    return place_alias(engine, binding);
  }
  if (data == nullptr || binding.bytes == 0) {
    return place_without_buffer(engine, binding);
  }
  Location location{};
  const executorch::runtime::Error error = locate(engine, binding, location);
  if (error != executorch::runtime::Error::Ok) {
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
  return executorch::runtime::Error::Ok;
}

} // namespace executorch_backend_tensorrt
