// Streams, and capture on them.
#include "graph.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

cudaStream_t per_thread(cudaStream_t handle) { return handle == nullptr ? cudaStreamPerThread : handle; }

cudaError_t fault_of(const Stream& stream) { return static_cast<cudaError_t>(device(stream.device).fault.load()); }

cudaError_t create(cudaStream_t* out, unsigned flags, int priority) {
  if (out == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
    return cudaErrorInvalidValue;
  }
  *out = create_stream(flags, priority, t_state.green_context);
  return cudaSuccess;
}

cudaError_t synchronize(cudaStream_t handle) {
  Stream* stream = resolve_stream(handle);
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (stream->capturing) {
    return break_capture("cudaStreamSynchronize", stream, cudaErrorStreamCaptureUnsupported);
  }
  stream->wait_all();
  return fault_of(*stream);
}

cudaError_t query(cudaStream_t handle) {
  Stream* stream = resolve_stream(handle);
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (stream->capturing) {
    return break_capture("cudaStreamQuery", stream, cudaErrorStreamCaptureUnsupported);
  }
  if (stream->pending() == 0) {
    return fault_of(*stream);
  }
  stream->nudge();
  return cudaErrorNotReady;
}

// One property of a stream, for the getters.
template <class Value, class Read>
cudaError_t read_property(cudaStream_t handle, Value* out, Read&& read) {
  const Stream* stream = resolve_stream(handle);
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (out == nullptr) {
    return cudaErrorInvalidValue;
  }
  *out = read(*stream);
  return cudaSuccess;
}

cudaStreamCaptureStatus capture_status(const Stream& stream) {
  if (stream.capture == nullptr) {
    return cudaStreamCaptureStatusNone;
  }
  return stream.capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t* out) {
  return call(Fn::cudaStreamCreate, [&] { return create(out, cudaStreamDefault, 0); });
}
cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* out, unsigned int flags) {
  return call(Fn::cudaStreamCreateWithFlags, [&] { return create(out, flags, 0); });
}
cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t* out, unsigned int flags, int priority) {
  return call(Fn::cudaStreamCreateWithPriority, [&] { return create(out, flags, priority); });
}
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t handle) {
  return call(Fn::cudaStreamDestroy, handle,
              [&] { return destroy_stream(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t handle) {
  return call(Fn::cudaStreamSynchronize, handle, [&] { return synchronize(handle); });
}
cudaError_t CUDARTAPI cudaStreamSynchronize_ptsz(cudaStream_t handle) {
  return cudaStreamSynchronize(per_thread(handle));
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t handle) {
  return call(Fn::cudaStreamQuery, handle, [&] { return query(handle); });
}
cudaError_t CUDARTAPI cudaStreamQuery_ptsz(cudaStream_t handle) { return cudaStreamQuery(per_thread(handle)); }

cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t handle, int* out) {
  return call(Fn::cudaStreamGetDevice, handle,
              [&] { return read_property(handle, out, [](const Stream& s) { return s.device; }); });
}
cudaError_t CUDARTAPI cudaStreamGetDevice_ptsz(cudaStream_t handle, int* out) {
  return cudaStreamGetDevice(per_thread(handle), out);
}

cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t handle, unsigned int* out) {
  return call(Fn::cudaStreamGetFlags, handle,
              [&] { return read_property(handle, out, [](const Stream& s) { return s.flags; }); });
}
cudaError_t CUDARTAPI cudaStreamGetFlags_ptsz(cudaStream_t handle, unsigned int* out) {
  return cudaStreamGetFlags(per_thread(handle), out);
}

cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t handle, int* out) {
  return call(Fn::cudaStreamGetPriority, handle,
              [&] { return read_property(handle, out, [](const Stream& s) { return s.priority; }); });
}
cudaError_t CUDARTAPI cudaStreamGetPriority_ptsz(cudaStream_t handle, int* out) {
  return cudaStreamGetPriority(per_thread(handle), out);
}

cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t handle, unsigned long long* out) {
  return call(Fn::cudaStreamGetId, handle,
              [&] { return read_property(handle, out, [](const Stream& s) { return s.id; }); });
}
cudaError_t CUDARTAPI cudaStreamGetId_ptsz(cudaStream_t handle, unsigned long long* out) {
  return cudaStreamGetId(per_thread(handle), out);
}

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call(Fn::cudaStreamBeginCapture, handle, [&] {
    Stream* stream = resolve_stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : begin_capture(*stream, mode);
  });
}
cudaError_t CUDARTAPI cudaStreamBeginCapture_ptsz(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return cudaStreamBeginCapture(per_thread(handle), mode);
}

cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* out) {
  if (out == nullptr) {
    return cudaErrorInvalidValue;
  }
  *out = nullptr;
  const cudaError_t error = call(Fn::cudaStreamEndCapture, handle, [&] {
    Stream* stream = resolve_stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : end_capture(*stream, out);
  });
  if (error != cudaSuccess) {
    destroy_graph(*out);
    *out = nullptr;
  }
  return error;
}
cudaError_t CUDARTAPI cudaStreamEndCapture_ptsz(cudaStream_t handle, cudaGraph_t* out) {
  return cudaStreamEndCapture(per_thread(handle), out);
}

cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* out) {
  return call(Fn::cudaStreamIsCapturing, handle, [&] { return read_property(handle, out, capture_status); });
}
cudaError_t CUDARTAPI cudaStreamIsCapturing_ptsz(cudaStream_t handle, cudaStreamCaptureStatus* out) {
  return cudaStreamIsCapturing(per_thread(handle), out);
}

cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                               unsigned long long* id, cudaGraph_t* graph,
                                               const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                               size_t* count) {
  return call(Fn::cudaStreamGetCaptureInfo, handle, [&] {
    if (graph != nullptr || dependencies != nullptr || edges != nullptr || count != nullptr) {
      return cudaErrorNotSupported;  // the stand-in does not hand out a graph that is being captured
    }
    const cudaError_t error = read_property(handle, status, capture_status);
    if (error == cudaSuccess && id != nullptr && *status == cudaStreamCaptureStatusActive) {
      *id = resolve_stream(handle)->capture->id;
    }
    return error;
  });
}
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_ptsz(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                                    unsigned long long* id, cudaGraph_t* graph,
                                                    const cudaGraphNode_t** dependencies,
                                                    const cudaGraphEdgeData** edges, size_t* count) {
  return cudaStreamGetCaptureInfo(per_thread(handle), status, id, graph, dependencies, edges, count);
}

cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call(Fn::cudaThreadExchangeStreamCaptureMode, [&] {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed) {
      return cudaErrorInvalidValue;
    }
    const int before = t_state.capture_mode;
    t_state.capture_mode = *mode;
    *mode = static_cast<cudaStreamCaptureMode>(before);
    return cudaSuccess;
  });
}

}  // extern "C"
