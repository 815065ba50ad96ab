#include "base/process_exit.h"

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

namespace executorch_backend_tensorrt {
namespace {

TEST(ProcessExit, IsNotSeenBeforeTheEnd) {
  watch_process_exit();
  watch_process_exit();
  EXPECT_FALSE(process_is_exiting());
}

// A handler registered before the watch runs after it, as static objects of a program do.
TEST(ProcessExitDeathTest, IsSeenByStaticDestructors) {
  EXPECT_EXIT(
      {
        std::atexit([] { std::fputs(process_is_exiting() ? "exiting" : "running", stderr); });
        watch_process_exit();
        std::exit(3);
      },
      testing::ExitedWithCode(3), "exiting");
}

}  // namespace
}  // namespace executorch_backend_tensorrt
