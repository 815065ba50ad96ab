// Says whether the delegate is registered in the one ExecuTorch of this process; it calls nothing of the delegate.
#include <cstdio>

#include <executorch/runtime/backend/interface.h>

#ifdef THROUGH_MIDDLE
int middle();
#endif

int main() {
#ifdef THROUGH_MIDDLE
  if (middle() != 1) {
    return 2;
  }
#endif
  const bool registered = executorch::runtime::get_backend_class("TensorRTBackend") != nullptr;
  std::puts(registered ? "registered" : "missing");
  return registered ? 0 : 1;
}
