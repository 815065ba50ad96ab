#include "base/thread_state.h"

namespace executorch_backend_tensorrt {

namespace {
thread_local ThreadState state;
} // namespace

ThreadState& thread_state() {
  return state;
}

} // namespace executorch_backend_tensorrt
