#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <executorch/runtime/core/error.h>

namespace executorch_backend_tensorrt {

/// ExecuTorch's log keeps this many bytes of a line, the terminating one included.
inline constexpr std::size_t kMessageBytes = 256;

/// The beginning of a text that has no terminating zero, for a message.
struct ShortText {
  explicit ShortText(std::string_view from) noexcept {
    const std::size_t count = from.size() < sizeof(text) - 1 ? from.size() : sizeof(text) - 1;
    std::memcpy(text, from.data(), count);
    text[count] = '\0';
  }
  char text[65];
};

namespace message {

enum class Id : std::uint16_t {
#define TRTET_MESSAGE(id, error, params, format_and_args) id,
#include "base/messages.def"
#undef TRTET_MESSAGE
};

/// Where one message goes: its identity and the error that its reporter returns.
struct Emitter {
  Id id;
  const char* name;
  executorch::runtime::Error error; ///< Ok: a notice, not an error

  /// Formats, appends TensorRT's last error line of this thread (errors only, consumed), logs once
  /// through ExecuTorch and returns `error`. Never allocates, never throws.
  executorch::runtime::Error log(const char* format, ...) const noexcept
      __attribute__((cold, format(printf, 2, 3)));
};

// One function per message: typed parameters, format checked where it is written, error attached.
#define TRTET_MESSAGE(id, error, params, format_and_args)                               \
  [[gnu::cold, gnu::noinline]] inline executorch::runtime::Error id params {            \
    return Emitter{Id::id, #id, executorch::runtime::Error::error}.log format_and_args; \
  }
#include "base/messages.def"
#undef TRTET_MESSAGE

} // namespace message
} // namespace executorch_backend_tensorrt
