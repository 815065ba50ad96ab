#include "plan_tag.h"

#include <string>

#include <gtest/gtest.h>

#include "support/exact_block.h"

namespace executorch_backend_tensorrt {
namespace {

std::string plan_start() {
  std::string bytes(kPlanTagBytes, '\0');
  bytes.replace(0, 4, "ftrt");
  bytes[24] = 11;
  bytes[25] = 4;
  bytes[26] = 0;
  bytes[27] = 106;
  return bytes;
}

TEST(PlanTag, ReadsTheVersion) {
  const unit::ExactBlock block(plan_start());
  const auto version = read_plan_version(block.bytes().data(), block.bytes().size());
  ASSERT_TRUE(version.has_value());
  EXPECT_TRUE((*version == TensorRtVersion{11, 4, 0, 106}));
}

TEST(PlanTag, NumbersAreUnsignedBytes) {
  std::string bytes = plan_start();
  bytes[27] = static_cast<char>(200);
  EXPECT_EQ(read_plan_version(bytes.data(), bytes.size())->build, 200);
}

TEST(PlanTag, EveryTruncationHasNone) {
  for (std::size_t size = 0; size < kPlanTagBytes; ++size) {
    const unit::ExactBlock block(plan_start().substr(0, size));
    EXPECT_FALSE(read_plan_version(block.bytes().data(), size).has_value()) << size;
  }
}

TEST(PlanTag, OtherBytesHaveNone) {
  for (std::size_t i = 0; i < 4; ++i) {
    std::string bytes = plan_start();
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    EXPECT_FALSE(read_plan_version(bytes.data(), bytes.size()).has_value()) << i;
  }
}

TEST(PlanTag, VersionsDifferInEachNumber) {
  const TensorRtVersion version{11, 4, 0, 106};
  EXPECT_TRUE((version != TensorRtVersion{10, 4, 0, 106}));
  EXPECT_TRUE((version != TensorRtVersion{11, 3, 0, 106}));
  EXPECT_TRUE((version != TensorRtVersion{11, 4, 1, 106}));
  EXPECT_TRUE((version != TensorRtVersion{11, 4, 0, 105}));
}

}  // namespace
}  // namespace executorch_backend_tensorrt
