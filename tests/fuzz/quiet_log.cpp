// A line for each refused input would take longer than the reader. The texts are formatted all the same.
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

#include <cstdlib>

namespace {

void emit(et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t, const char* message, size_t length) {
  // The log's own limit; a message is text, never empty.
  if (length == 0 || length > 256 || message[length - 1] == '\0') std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  executorch::runtime::register_pal(executorch::runtime::PalImpl::create(emit, __FILE__));
  executorch::runtime::runtime_init();
  return 0;
}
