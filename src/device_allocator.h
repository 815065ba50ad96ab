#pragma once

namespace executorch_backend_tensorrt {

/// Gives ExecuTorch a CUDA device allocator when it has none, so that device-tagged programs find
/// their memory. Called once, while the library is loaded; touches no CUDA.
void register_device_allocator_if_absent();

} // namespace executorch_backend_tensorrt
