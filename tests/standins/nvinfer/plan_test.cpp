// The plan format: golden bytes, round trip, truncations, and what is refused.
#include "standins/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

namespace standins {
namespace {

using testing::HasSubstr;

// tests/standins/test_standin_plan.py builds the same one.
Plan golden_plan() {
  Plan plan;
  plan.name = "gölden \"plan\"";
  plan.version = {11, 1, 2, 3};
  plan.activation_bytes = 1000;
  plan.weights_bytes = 7;
  plan.streamable_weights_bytes = 4096;
  plan.padding_bytes = 5;
  plan.launches_per_node = true;
  plan.enqueue = EnqueueBehaviour::kFaults;
  plan.input("x", DType::kFloat32, {-1, 4})
      .input("cache", DType::kBFloat16, {2, 3})
      .input("extents", DType::kInt64, {2})
      .output("y", DType::kFloat32, {-1, 4})
      .alias("cache_out", "cache", DType::kBFloat16, {2, 3})
      .constant("one", {1}, {1.0f})
      .constant("four", DType::kInt4, {3}, "\x12\x03")
      .node("add", {"x", "one"}, "sum")
      .node("increment", {"sum"}, "y", {-2})
      .node("identity", {"cache"}, "cache_out")
      .profile({{"x", {{1, 4}, {2, 4}, {8, 4}}}}, {{"extents", {{1, 1}, {2, 2}, {3, 3}}}})
      .profile({{"x", {{9, 4}, {9, 4}, {16, 4}}}});
  plan.tensor("extents").is_shape_tensor = true;
  plan.tensor("y").format = 2;
  plan.model("<net/>", "weights");
  return plan;
}

std::string golden_bytes() {
  std::ifstream file(GOLDEN_PLAN, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(StandinPlan, HasItsGoldenBytes) { EXPECT_EQ(write_plan(golden_plan()), golden_bytes()); }

TEST(StandinPlan, StartsLikeARealPlan) {
  const std::string bytes = write_plan(golden_plan());
  EXPECT_EQ(bytes.substr(0, 4), "ftrt");
  EXPECT_EQ(bytes.substr(24, 4), (std::string{11, 1, 2, 3}));
  uint64_t size = 0;
  std::memcpy(&size, &bytes[16], sizeof size);
  EXPECT_EQ(size, bytes.size());
}

TEST(StandinPlan, ReadsBack) {
  const std::string bytes = golden_bytes();
  Plan plan = read_plan(bytes.data(), bytes.size());
  EXPECT_EQ(plan.name, "gölden \"plan\"");
  EXPECT_EQ(plan.version, (std::array<uint8_t, 4>{11, 1, 2, 3}));
  ASSERT_EQ(plan.profiles.size(), 2u);
  EXPECT_EQ(plan.profiles[1].shapes.at("x").max, (Shape{16, 4}));
  EXPECT_EQ(plan.profiles[1].shapes.at("cache").min, (Shape{2, 3})) << "static inputs are added";
  EXPECT_EQ(plan.tensor("cache_out").aliased_input, "cache");
  float one = 0;
  std::memcpy(&one, &bytes[plan.constants[0].offset], sizeof one);
  EXPECT_EQ(one, 1.0f);
  EXPECT_EQ(bytes.substr(plan.openvino.weights_offset, plan.openvino.weights_bytes), "weights");
  EXPECT_EQ(plan.constants[1].offset % kPlanAlignment, 0u);

  plan.constants[0].data = bytes.substr(plan.constants[0].offset, plan.constants[0].bytes);
  plan.constants[1].data = bytes.substr(plan.constants[1].offset, plan.constants[1].bytes);
  plan.model("<net/>", "weights");
  EXPECT_EQ(write_plan(plan), bytes);
}

TEST(StandinPlan, EveryTruncationIsRefused) {
  const std::string bytes = golden_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto exact = std::make_unique<char[]>(size);
    std::memcpy(exact.get(), bytes.data(), size);
    EXPECT_THROW(read_plan(exact.get(), size), PlanError) << size;
  }
}

void expect_refused(const Plan& plan, const char* part) {
  try {
    write_plan(plan);
    FAIL() << "accepted: " << part;
  } catch (const PlanError& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(StandinPlan, RefusesPartsThatDoNotFit) {
  const auto identity = [](Shape shape) {
    Plan plan;
    plan.input("x", DType::kFloat32, shape).output("y", DType::kFloat32, shape);
    plan.node("identity", {"x"}, "y");
    return plan;
  };
  expect_refused(identity({-1}), "dynamic and the plan has no profile");
  expect_refused(identity(Shape(9, 1)), "rank is above 8");
  expect_refused(identity({2}).profile({{"x", {{1}, {2}, {2}}}}), "dimension 0 of a profile");
  expect_refused(identity({-1}).profile({{"x", {{3}, {2}, {4}}}}), "min<=opt<=max");
  expect_refused(identity({-1}).profile({{"x", {{1, 1}, {1, 1}, {1, 1}}}}), "rank differs");
  expect_refused(identity({-1}).profile({}), "a profile leaves it out");
  expect_refused(identity({2}).profile({{"z", {{1}, {1}, {1}}}}), "no input has that name");
  expect_refused(identity({2}).node("relu", {"q"}, "r"), "reads 'q'");
  expect_refused(identity({2}).node("relu", {"x"}, "y"), "writes 'y' again");
  expect_refused(identity({2}).output("w", DType::kFloat32, {2}), "no node makes it");
  expect_refused(identity({2}).alias("w", "q", DType::kFloat32, {2}), "which is no input");
  expect_refused(identity({2}).alias("w", "x", DType::kFloat16, {2}), "differs from its aliased");
  expect_refused(identity({2}).constant("c", {2}, {1.0f}), "has 4 bytes, its shape needs 8");
  expect_refused(identity({2}).constant("x", {1}, {1.0f}), "is there twice");
  EXPECT_THROW(identity({2}).tensor("z"), PlanError);
}

TEST(StandinPlan, RefusesAPayloadOutsideThePlan) {
  std::string bytes = golden_bytes();
  const std::string before = "\"xml_bytes\":6";
  const auto at = bytes.find(before);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, before.size(), "\"xml_bytes\":9");
  EXPECT_NO_THROW(read_plan(bytes.data(), bytes.size()));
  bytes[bytes.find("\"xml_offset\":") + 13] = '9';
  EXPECT_THROW(read_plan(bytes.data(), bytes.size()), PlanError);
}

TEST(StandinPlan, RefusesAnUnknownWordInItsDescription) {
  std::string bytes = golden_bytes();
  bytes.replace(bytes.find("bfloat16"), 8, "bfloat61");
  EXPECT_THROW(read_plan(bytes.data(), bytes.size()), PlanError);
}

}  // namespace
}  // namespace standins
