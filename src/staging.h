#pragma once

#include <cstddef>
#include <cstring>

#include <cuda_runtime_api.h>
#include <executorch/runtime/core/error.h>

#include "base/cuda.h"
#include "engine.h"
#include "stream_work.h"

namespace executorch_backend_tensorrt {

/// Makes room for host-resident callers at the largest shapes, so that execute allocates nothing;
/// a very large tensor of dynamic shape grows on first use instead.
/// Errors: MemoryAllocationFailed; InvalidProgram when TensorRT takes not even those shapes.
executorch::runtime::Error reserve_staging(Engine& engine, bool is_host_resident);

/// Queues the copy of a staged input. Errors: as CUDA's.
inline executorch::runtime::Error stage_input(const Binding& input, StreamWork& work) {
  const void* source = input.caller;
  if (input.route == Route::kStagedThroughPinned) {
    std::memcpy(input.pinned.data(), input.caller, input.bytes);
    source = input.pinned.data();
  }
  const auto kind =
      input.route == Route::kStagedOnDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  work.is_queued = true;
  return check_cuda(
      cudaMemcpyAsync(input.place, source, input.bytes, kind, work.stream), "cudaMemcpyAsync");
}

/// Queues the copies of staged inputs. Errors: as CUDA's.
inline executorch::runtime::Error stage_inputs(const Engine& engine, StreamWork& work) {
  for (const Binding& input : engine.inputs) {
    if (input.route == Route::kInPlace) {
      continue;
    }
    const executorch::runtime::Error error = stage_input(input, work);
    if (error != executorch::runtime::Error::Ok) {
      return error;
    }
  }
  return executorch::runtime::Error::Ok;
}

/// Logs that an output's copy failed. Errors: Internal, always.
executorch::runtime::Error report_output_copy(cudaError_t status, const Binding& output);

inline executorch::runtime::Error copy_out(
    void* to, const Binding& output, cudaMemcpyKind kind, const StreamWork& work) {
  const cudaError_t status = cudaMemcpyAsync(to, output.place, output.bytes, kind, work.stream);
  return status == cudaSuccess ? executorch::runtime::Error::Ok
                               : report_output_copy(status, output);
}

/// Queues the copies of an aliased output that has a buffer of its own. Errors: Internal.
executorch::runtime::Error stage_alias_output(
    const Engine& engine, const Binding& output, StreamWork& work);

/// Queues the copy of a staged output. Errors: Internal.
inline executorch::runtime::Error stage_output(const Binding& output, StreamWork& work) {
  void* target = output.caller;
  if (output.route == Route::kStagedThroughPinned) {
    target = output.pinned.data();
    work.has_pinned_outputs = true;
  }
  const auto kind =
      output.route == Route::kStagedOnDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  return copy_out(target, output, kind, work);
}

/// Queues the copies of staged outputs and of aliased outputs that have a buffer of their own.
/// Errors: Internal.
inline executorch::runtime::Error stage_outputs(const Engine& engine, StreamWork& work) {
  for (const Binding& output : engine.outputs) {
    executorch::runtime::Error error = executorch::runtime::Error::Ok;
    if (output.alias >= 0) {
      error = stage_alias_output(engine, output, work);
    } else if (output.route != Route::kInPlace) {
      error = stage_output(output, work);
    }
    if (error != executorch::runtime::Error::Ok) {
      return error;
    }
  }
  return executorch::runtime::Error::Ok;
}

/// Copies outputs that came by way of pinned memory to the caller; the stream must have been waited
/// for.
void unpin_outputs(const Engine& engine);

} // namespace executorch_backend_tensorrt
