#include "common/caller_stream.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <optional>

namespace trtet {
namespace {

// What the delegate will see, asked of the library that is in the process.
std::optional<cudaStream_t> stream_seen(const RuntimeLibraries& libraries) {
  const auto ask = reinterpret_cast<std::optional<cudaStream_t> (*)()>(
      dlsym(libraries.delegate.handle, "_ZN10executorch9extension4cuda15getCallerStreamEv"));
  return ask == nullptr ? std::nullopt : ask();
}

TEST(CallerStream, IsTheThreadsStreamWhileItLives) {
  const RuntimeLibraries& libraries = require_runtime_libraries();
  EXPECT_FALSE(stream_seen(libraries).has_value());
  {
    const auto stream = make_caller_stream(libraries);
    ASSERT_TRUE(stream_seen(libraries).has_value());
    EXPECT_NE(*stream_seen(libraries), nullptr);
    const auto outer = stream_seen(libraries);
    {
      const auto green = make_green_context_stream(libraries, 0, 8);
      EXPECT_NE(stream_seen(libraries), outer);
    }
    EXPECT_EQ(stream_seen(libraries), outer);
  }
  EXPECT_FALSE(stream_seen(libraries).has_value());
}

}  // namespace
}  // namespace trtet
