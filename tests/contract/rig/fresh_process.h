// Runs a body in a process of its own, for what can happen only once in a process.
#pragma once

#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

namespace contract {

// The body's expectations count; its output appears with the failure.
#define IN_FRESH_PROCESS(body)                                                   \
  do {                                                                           \
    GTEST_FLAG_SET(death_test_style, "threadsafe");                              \
    EXPECT_EXIT(                                                                 \
        {                                                                        \
          body();                                                                \
          std::fflush(nullptr);                                                  \
          std::_Exit(testing::Test::HasFailure() ? EXIT_FAILURE : EXIT_SUCCESS); \
        },                                                                       \
        testing::ExitedWithCode(EXIT_SUCCESS), "");                              \
  } while (false)

}  // namespace contract
