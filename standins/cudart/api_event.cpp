// Events.
#include "event.h"
#include "graph.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

cudaStream_t per_thread(cudaStream_t handle) { return handle == nullptr ? cudaStreamPerThread : handle; }

constexpr unsigned kKnownFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

cudaError_t create(cudaEvent_t* out, unsigned flags) {
  if (out == nullptr || (flags & ~kKnownFlags) != 0) {
    return cudaErrorInvalidValue;
  }
  *out = create_event(t_state.device, flags);
  return cudaSuccess;
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags) {
  auto event = resolve_event(handle);
  Stream* stream = resolve_stream(stream_handle);
  if (event == nullptr || stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  if (flags != 0) {
    return cudaErrorNotSupported;
  }
  if (stream->is_legacy && legacy_is_blocked()) {
    return break_capture("cudaEventRecord", nullptr, cudaErrorStreamCaptureImplicit);
  }
  Event& recorded = *event;
  return record_event(recorded, std::move(event), *stream);
}

// Where the event was recorded last; an error when that is inside a capture.
struct Recorded {
  cudaError_t error;
  std::shared_ptr<Stream> stream;
  uint64_t sequence;
};
Recorded last_record(cudaEvent_t handle) {
  const auto event = resolve_event(handle);
  if (event == nullptr) {
    return {cudaErrorInvalidResourceHandle, nullptr, 0};
  }
  std::lock_guard<std::mutex> lock(event->mutex);
  if (event->capture != nullptr) {
    return {cudaErrorCapturedEvent, nullptr, 0};
  }
  return {cudaSuccess, event->stream, event->sequence};
}

cudaError_t fault_of(const Stream& stream) { return static_cast<cudaError_t>(device(stream.device).fault.load()); }

cudaError_t query(cudaEvent_t handle) {
  const Recorded recorded = last_record(handle);
  if (recorded.error != cudaSuccess || recorded.stream == nullptr) {
    return recorded.error;
  }
  if (recorded.stream->done(recorded.sequence)) {
    return fault_of(*recorded.stream);
  }
  recorded.stream->nudge();
  return cudaErrorNotReady;
}

cudaError_t synchronize(cudaEvent_t handle) {
  const Recorded recorded = last_record(handle);
  if (recorded.error != cudaSuccess || recorded.stream == nullptr) {
    return recorded.error;
  }
  recorded.stream->wait(recorded.sequence);
  return fault_of(*recorded.stream);
}

cudaError_t elapsed(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  const auto start = resolve_event(start_handle);
  const auto end = resolve_event(end_handle);
  if (start == nullptr || end == nullptr || milliseconds == nullptr) {
    return start == nullptr || end == nullptr ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  }
  std::chrono::steady_clock::time_point times[2];
  int i = 0;
  for (const auto& event : {start, end}) {
    std::lock_guard<std::mutex> lock(event->mutex);
    if (event->stream == nullptr || (event->flags & cudaEventDisableTiming) != 0) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!event->stream->done(event->sequence)) {
      return cudaErrorNotReady;
    }
    times[i++] = event->time;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(times[1] - times[0]).count();
  return cudaSuccess;
}

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t* out) {
  return call(Fn::cudaEventCreate, [&] { return create(out, cudaEventDefault); });
}
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* out, unsigned int flags) {
  return call(Fn::cudaEventCreateWithFlags, [&] { return create(out, flags); });
}
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
  return call(Fn::cudaEventDestroy,
              [&] { return destroy_event(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(Fn::cudaEventRecord, stream, [&] { return record(event, stream, 0); });
}
cudaError_t CUDARTAPI cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecord(event, per_thread(stream));
}
cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return call(Fn::cudaEventRecordWithFlags, stream, [&] { return record(event, stream, flags); });
}
cudaError_t CUDARTAPI cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return cudaEventRecordWithFlags(event, per_thread(stream), flags);
}
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  return call(Fn::cudaEventQuery, [&] { return query(event); });
}
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  return call(Fn::cudaEventSynchronize, [&] { return synchronize(event); });
}
cudaError_t CUDARTAPI cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(Fn::cudaEventElapsedTime, [&] { return elapsed(milliseconds, start, end); });
}
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned int) {
  return call(Fn::cudaStreamWaitEvent, stream_handle, [&] {
    const auto event = resolve_event(handle);
    Stream* stream = resolve_stream(stream_handle);
    return event == nullptr || stream == nullptr ? cudaErrorInvalidResourceHandle : wait_event(*stream, *event);
  });
}
cudaError_t CUDARTAPI cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return cudaStreamWaitEvent(per_thread(stream), event, flags);
}

}  // extern "C"
