#pragma once

namespace executorch_backend_tensorrt {

/// What the delegate remembers per thread. Plain data, zero at thread start, so that reading it
/// needs no guard and no allocation.
struct ThreadState {
  char tensorrt_error[208]; ///< TensorRT's last error line on this thread, "" for none
};

/// The calling thread's state. Never fails.
ThreadState& thread_state();

} // namespace executorch_backend_tensorrt
