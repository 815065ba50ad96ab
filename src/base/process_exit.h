#pragma once

namespace executorch_backend_tensorrt {

/// From the first call on, notices that the process has begun to exit. Called after the first CUDA
/// call, so that the notice comes before CUDA's own clean-up. Thread-safe.
void watch_process_exit();

/// True once static destructors run: CUDA and TensorRT must not be called any more.
bool process_is_exiting();

} // namespace executorch_backend_tensorrt
