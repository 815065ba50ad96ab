#pragma once

#include <cuda_runtime_api.h>

namespace executorch_backend_tensorrt {

/// A call's work on its stream. Once `is_queued` the stream must be waited for before returning.
struct StreamWork {
  cudaStream_t stream = nullptr;
  bool is_queued = false;
  bool has_pinned_outputs = false; ///< the caller gets them only after the wait
};

} // namespace executorch_backend_tensorrt
