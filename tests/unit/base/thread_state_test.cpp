#include "base/thread_state.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace executorch_backend_tensorrt {
namespace {

TEST(ThreadState, IsOnePerThreadAndStartsEmpty) {
  thread_state().tensorrt_error[0] = 'x';
  std::string other = "unset";
  std::thread([&other] { other = thread_state().tensorrt_error; }).join();
  EXPECT_EQ(other, "");
  EXPECT_EQ(thread_state().tensorrt_error[0], 'x');
  thread_state().tensorrt_error[0] = '\0';
}

}  // namespace
}  // namespace executorch_backend_tensorrt
