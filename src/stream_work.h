#pragma once

#include <cuda_runtime_api.h>

#include "executorch_backend_tensorrt/caller_stream.h"

namespace executorch_backend_tensorrt {

/// The stream that the caller chose for this thread, the thread's own one otherwise.
inline cudaStream_t stream_of_this_thread() {
  const auto chosen = executorch::extension::cuda::getCallerStream();
  return chosen ? *chosen : cudaStreamPerThread;
}

/// A call's work on its stream. Once `is_queued` the stream must be waited for before returning.
struct StreamWork {
  cudaStream_t stream = nullptr;
  bool is_queued = false;
  bool has_pinned_outputs = false; ///< the caller gets them only after the wait
};

} // namespace executorch_backend_tensorrt
