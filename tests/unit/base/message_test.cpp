#include "base/message.h"

#include <cstdio>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>

#include <gmock/gmock.h>

#include "base/thread_state.h"
#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using testing::HasSubstr;

// The longest name TensorRT allows in practice; other texts are cut by their precision.
const std::string kLongestName(128, 'n');

// The longest argument of each parameter type.
template <typename T>
T longest() {
  if constexpr (std::is_same_v<T, const char*>) {
    return kLongestName.c_str();
  } else if constexpr (std::is_signed_v<T>) {
    return std::numeric_limits<T>::min();
  } else {
    return std::numeric_limits<T>::max();
  }
}
template <typename... Args>
Error report_longest(Error (*report)(Args...)) {
  return report(longest<Args>()...);
}

struct Entry {
  const char* name;
  Error error;
  Error (*report)();
};

const Entry kEntries[] = {
#define TRTET_MESSAGE(id, error, params, format_and_args) \
  {#id, Error::error, [] { return report_longest(&message::id); }},
#include "base/messages.def"
#undef TRTET_MESSAGE
};

class EveryMessage : public testing::TestWithParam<Entry> {};

TEST_P(EveryMessage, StaysWithinTheLogWithTheLongestArguments) {
  const unit::LogCapture log;
  EXPECT_EQ(GetParam().report(), GetParam().error);
  ASSERT_EQ(log.lines().size(), 1U);
  // A line that fills the log's buffer was cut.
  EXPECT_LT(log.lines()[0].size(), kMessageBytes - 1) << log.lines()[0];
}

// A name may be cut at the end of a line; what comes before it must say what is wrong.
TEST_P(EveryMessage, SaysTheCauseBeforeALongName) {
  const unit::LogCapture log;
  (void)GetParam().report();
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_GE(log.lines()[0].find(kLongestName), 15U) << log.lines()[0];
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMessage, testing::ValuesIn(kEntries),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Message, NamesAreUnique) {
  std::set<std::string> names;
  for (const Entry& entry : kEntries) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  }
}

TEST(Message, AppendsTensorRtsLastErrorOnceToAnError) {
  unit::LogCapture log;
  std::snprintf(thread_state().tensorrt_error, sizeof(ThreadState::tensorrt_error), "tag mismatch");
  (void)message::plan_refused();
  EXPECT_THAT(log.text(), HasSubstr("; TensorRT: tag mismatch"));
  log.clear();
  (void)message::plan_refused();
  EXPECT_THAT(log.text(), testing::Not(HasSubstr("tag mismatch")));
}

TEST(Message, CutsTensorRtsErrorToTheLogsLine) {
  const unit::LogCapture log;
  std::memset(thread_state().tensorrt_error, 'e', sizeof(ThreadState::tensorrt_error) - 1);
  (void)message::launch_refused();
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_EQ(log.lines()[0].size(), kMessageBytes - 1);
  EXPECT_THAT(log.lines()[0], HasSubstr("launch refused"));
}

TEST(Message, NoticesLeaveTensorRtsErrorAlone) {
  const unit::LogCapture log;
  std::snprintf(thread_state().tensorrt_error, sizeof(ThreadState::tensorrt_error), "kept");
  EXPECT_EQ(message::budget_unused(1), Error::Ok);
  EXPECT_STREQ(thread_state().tensorrt_error, "kept");
  thread_state().tensorrt_error[0] = '\0';
}

}  // namespace
}  // namespace executorch_backend_tensorrt
