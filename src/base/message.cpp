#include "base/message.h"

#include <cstdarg>
#include <cstdio>

#include <executorch/runtime/platform/log.h>

#include "base/thread_state.h"

namespace executorch_backend_tensorrt::message {

using executorch::runtime::Error;
using executorch::runtime::LogLevel;

namespace {

// A tail shorter than this says nothing worth the bytes.
constexpr std::size_t kLeastTail = 24;
constexpr char kTailPrefix[] = "; TensorRT: ";

void append_tensorrt_error(char* text, std::size_t used) {
  char* last = thread_state().tensorrt_error;
  if (last[0] != '\0' && used + kLeastTail < kMessageBytes) {
    std::snprintf(text + used, kMessageBytes - used, "%s%s", kTailPrefix, last);
  }
  last[0] = '\0';
}

} // namespace

Error Emitter::log(const char* format, ...) const noexcept {
  char text[kMessageBytes];
  va_list args;
  va_start(args, format);
  const int written = std::vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  const bool is_error = error != Error::Ok;
  if (is_error && written >= 0) {
    append_tensorrt_error(text, static_cast<std::size_t>(written));
  }
  executorch::runtime::internal::logf(
      is_error ? LogLevel::Error : LogLevel::Info,
      executorch::runtime::internal::get_log_timestamp(),
      "TensorRTBackend",
      name,
      static_cast<std::size_t>(id),
      "%s",
      text);
  return error;
}

} // namespace executorch_backend_tensorrt::message
