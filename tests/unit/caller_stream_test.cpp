#include "executorch_backend_tensorrt/caller_stream.h"

#include <thread>

#include <gtest/gtest.h>

namespace {

using executorch::extension::cuda::CallerStreamGuard;
using executorch::extension::cuda::getCallerStream;

cudaStream_t stream(std::uintptr_t value) { return reinterpret_cast<cudaStream_t>(value); }

TEST(CallerStream, NoneByDefault) { EXPECT_FALSE(getCallerStream().has_value()); }

TEST(CallerStream, GuardsNestAndRestore) {
  {
    const CallerStreamGuard outer(stream(16));
    EXPECT_EQ(getCallerStream(), stream(16));
    {
      const CallerStreamGuard inner(stream(32));
      EXPECT_EQ(getCallerStream(), stream(32));
    }
    EXPECT_EQ(getCallerStream(), stream(16));
  }
  EXPECT_FALSE(getCallerStream().has_value());
}

TEST(CallerStream, NullIsAChoice) {
  const CallerStreamGuard guard(nullptr);
  ASSERT_TRUE(getCallerStream().has_value());
  EXPECT_EQ(*getCallerStream(), nullptr);
}

TEST(CallerStream, IsOfOneThread) {
  const CallerStreamGuard guard(stream(16));
  bool has_one = true;
  std::thread([&has_one] { has_one = getCallerStream().has_value(); }).join();
  EXPECT_FALSE(has_one);
}

}  // namespace
