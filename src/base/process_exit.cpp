#include "base/process_exit.h"

#include <atomic>
#include <cstdlib>

namespace executorch_backend_tensorrt {

namespace {
std::atomic<bool> is_watching{false};
std::atomic<bool> is_exiting{false};
} // namespace

void watch_process_exit() {
  if (!is_watching.exchange(true)) {
    // A refusal leaves the flag unset: clean-up then runs as in the middle of the process.
    (void)std::atexit([] { is_exiting.store(true); });
  }
}

bool process_is_exiting() {
  return is_exiting.load();
}

} // namespace executorch_backend_tensorrt
