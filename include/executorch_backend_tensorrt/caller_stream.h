#pragma once

/// executorch::extension::cuda::CallerStreamGuard: chooses the CUDA stream on which the delegates
/// called from this thread launch their work. One include for every build of ExecuTorch: its CUDA
/// builds have this guard themselves and it is used; for the others the delegate supplies the same
/// names, so that an application compiles and behaves alike.
///
///   executorch::extension::cuda::CallerStreamGuard guard(stream);
///   module.forward(inputs); // launches on `stream`
///
/// The caller owns the stream and keeps it alive for the guard's lifetime; it must belong to the
/// engine's GPU. A stream of a CUDA green context works the same way. Guards nest. An explicit
/// null stream (the legacy default stream) is a choice like any other.
#if __has_include(<executorch/extension/cuda/caller_stream.h>)

#include <executorch/extension/cuda/caller_stream.h>

#else

#include <optional>

#include <cuda_runtime_api.h>

namespace executorch::extension::cuda {

/// The stream chosen on this thread; nothing when none was. Never fails.
__attribute__((visibility("default"))) std::optional<cudaStream_t> getCallerStream();

/// Selects `stream` (borrowed) on this thread until destroyed, then restores the former choice.
class __attribute__((visibility("default"))) CallerStreamGuard final {
 public:
  explicit CallerStreamGuard(cudaStream_t stream);
  ~CallerStreamGuard();
  CallerStreamGuard(const CallerStreamGuard&) = delete;
  CallerStreamGuard& operator=(const CallerStreamGuard&) = delete;

 private:
  std::optional<cudaStream_t> previous_;
};

} // namespace executorch::extension::cuda

#endif
