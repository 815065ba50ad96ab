// Copies and fills, queued or waited for.
#include "graph.h"
#include "memory.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

// Into the graph while `stream` is captured, else behind its work.
cudaError_t queue(Stream& stream, Operation operation) {
  if (stream.capturing) {
    return capture_operation(stream, std::move(operation));
  }
  stream.submit(std::move(operation));
  return cudaSuccess;
}

cudaError_t check_legacy(const char* name, const Stream& stream) {
  if (stream.is_legacy && legacy_is_blocked()) {
    return break_capture(name, nullptr, cudaErrorStreamCaptureImplicit);
  }
  return cudaSuccess;
}

Operation copy_operation(void* destination, const void* source, size_t bytes) {
  Operation operation;
  operation.kind = Operation::Kind::kCopy;
  operation.destination = destination;
  operation.source = source;
  operation.bytes = bytes;
  return operation;
}

cudaError_t copy_async(Stream* stream, void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (bytes == 0) {
    return cudaSuccess;
  }
  if (const cudaError_t error = check_copy(destination, source, bytes, kind); error != cudaSuccess) {
    return error;
  }
  if (const cudaError_t error = check_legacy("cudaMemcpyAsync", *stream); error != cudaSuccess) {
    return error;
  }
  if (stream->capturing && touches_pageable(destination, source)) {
    return break_capture("cudaMemcpyAsync with pageable memory", stream, cudaErrorStreamCaptureUnsupported);
  }
  const cudaError_t error = queue(*stream, copy_operation(destination, source, bytes));
  if (error == cudaSuccess && !settings().pageable_deferred && touches_pageable(destination, source)) {
    stream->wait_all();
  }
  return error;
}

cudaError_t copy_now(Stream* stream, void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
  if (stream->capturing) {
    return break_capture("cudaMemcpy", stream, cudaErrorStreamCaptureUnsupported);
  }
  const cudaError_t error = copy_async(stream, destination, source, bytes, kind);
  stream->wait_all();
  return error != cudaSuccess ? error : static_cast<cudaError_t>(device(stream->device).fault.load());
}

cudaError_t set_async(Stream* stream, void* destination, int value, size_t bytes) {
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (bytes == 0) {
    return cudaSuccess;
  }
  Block block;
  if (!find_block(destination, &block) ||
      block.bytes - (reinterpret_cast<uintptr_t>(destination) - block.start) < bytes) {
    return cudaErrorInvalidValue;
  }
  if (const cudaError_t error = check_legacy("cudaMemsetAsync", *stream); error != cudaSuccess) {
    return error;
  }
  Operation operation;
  operation.kind = Operation::Kind::kSet;
  operation.destination = destination;
  operation.bytes = bytes;
  operation.value = value;
  return queue(*stream, std::move(operation));
}

cudaError_t set_now(Stream* stream, void* destination, int value, size_t bytes) {
  const cudaError_t error = set_async(stream, destination, value, bytes);
  stream->wait_all();
  return error != cudaSuccess ? error : static_cast<cudaError_t>(device(stream->device).fault.load());
}

cudaError_t launch_host(cudaStream_t handle, cudaHostFn_t function, void* data) {
  Stream* stream = resolve_stream(handle);
  // Launches on the per-thread default stream are refused inside a green context.
  if (stream == nullptr || (handle == cudaStreamPerThread && t_state.green_context != nullptr)) {
    return cudaErrorInvalidResourceHandle;
  }
  if (function == nullptr) {
    return cudaErrorInvalidValue;
  }
  if (const cudaError_t error = check_legacy("cudaLaunchHostFunc", *stream); error != cudaSuccess) {
    return error;
  }
  Operation operation;
  operation.kind = Operation::Kind::kHost;
  operation.host_function = function;
  operation.user_data = data;
  operation.runs_after_fault = t_state.library_depth > 0;
  return queue(*stream, std::move(operation));
}

cudaStream_t per_thread(cudaStream_t handle) { return handle == nullptr ? cudaStreamPerThread : handle; }

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

cudaError_t CUDARTAPI cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call(Fn::cudaMemcpy, [&] { return copy_now(resolve_stream(nullptr), to, from, bytes, kind); });
}
cudaError_t CUDARTAPI cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call(Fn::cudaMemcpy, [&] { return copy_now(resolve_stream(cudaStreamPerThread), to, from, bytes, kind); });
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t handle) {
  return call(Fn::cudaMemcpyAsync, handle, [&] { return copy_async(resolve_stream(handle), to, from, bytes, kind); });
}
cudaError_t CUDARTAPI cudaMemcpyAsync_ptsz(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                           cudaStream_t handle) {
  return cudaMemcpyAsync(to, from, bytes, kind, per_thread(handle));
}

cudaError_t CUDARTAPI cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return call(Fn::cudaMemcpyPeer,
              [&] { return copy_now(resolve_stream(nullptr), to, from, bytes, cudaMemcpyDeviceToDevice); });
}

cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t handle) {
  return call(Fn::cudaMemcpyPeerAsync, handle,
              [&] { return copy_async(resolve_stream(handle), to, from, bytes, cudaMemcpyDeviceToDevice); });
}

cudaError_t CUDARTAPI cudaMemset(void* to, int value, size_t bytes) {
  return call(Fn::cudaMemset, [&] { return set_now(resolve_stream(nullptr), to, value, bytes); });
}
cudaError_t CUDARTAPI cudaMemset_ptds(void* to, int value, size_t bytes) {
  return call(Fn::cudaMemset, [&] { return set_now(resolve_stream(cudaStreamPerThread), to, value, bytes); });
}

cudaError_t CUDARTAPI cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t handle) {
  return call(Fn::cudaMemsetAsync, handle, [&] { return set_async(resolve_stream(handle), to, value, bytes); });
}
cudaError_t CUDARTAPI cudaMemsetAsync_ptsz(void* to, int value, size_t bytes, cudaStream_t handle) {
  return cudaMemsetAsync(to, value, bytes, per_thread(handle));
}

cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return call(Fn::cudaLaunchHostFunc, handle, [&] { return launch_host(handle, function, data); });
}
cudaError_t CUDARTAPI cudaLaunchHostFunc_ptsz(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return cudaLaunchHostFunc(per_thread(handle), function, data);
}

cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                            unsigned int flags) {
  return call(Fn::cudaStreamAddCallback, handle, [&] {
    Stream* stream = resolve_stream(handle);
    if (stream == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (callback == nullptr || flags != 0) {
      return cudaErrorInvalidValue;
    }
    if (stream->capturing) {
      return break_capture("cudaStreamAddCallback", stream, cudaErrorStreamCaptureUnsupported);
    }
    Operation operation;
    operation.kind = Operation::Kind::kCallback;
    operation.callback = callback;
    operation.source = handle;
    operation.user_data = data;
    stream->submit(std::move(operation));
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaStreamAddCallback_ptsz(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                                 unsigned int flags) {
  return cudaStreamAddCallback(per_thread(handle), callback, data, flags);
}

}  // extern "C"
