#include "executorch_backend_tensorrt/caller_stream.h"

// Only for an ExecuTorch without its own guard. Exported under ExecuTorch's names, so that where a
// library with the originals is in the process all of it, this delegate too, shares one choice.
#if !__has_include(<executorch/extension/cuda/caller_stream.h>)

namespace executorch::extension::cuda {

namespace {
thread_local std::optional<cudaStream_t> chosen_stream;
} // namespace

std::optional<cudaStream_t> getCallerStream() {
  return chosen_stream;
}

CallerStreamGuard::CallerStreamGuard(cudaStream_t stream) : previous_(chosen_stream) {
  chosen_stream = stream;
}

CallerStreamGuard::~CallerStreamGuard() {
  chosen_stream = previous_;
}

} // namespace executorch::extension::cuda

#endif
