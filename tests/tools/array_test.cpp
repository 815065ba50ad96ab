#include "common/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/failure.h"

namespace trtet {
namespace {

Array floats(std::vector<float> values) {
  Array array = make_array(ScalarType::Float, {static_cast<std::int32_t>(values.size())});
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

TEST(ElementCount, RefusesWhatCannotBe) {
  EXPECT_EQ(element_count({}), 1U);
  EXPECT_EQ(element_count({3, 0, 5}), 0U);
  EXPECT_THROW(element_count({2, -1}), Failure);
  EXPECT_THROW(element_count({2147483647, 2147483647, 2147483647}), Failure);
}

TEST(Compare, ReportsTheWorstElement) {
  const Comparison result = compare(floats({1, 2, 9, 4}), floats({1, 3, 3, 4}), 1e-5);
  EXPECT_FALSE(result.matches);
  EXPECT_EQ(result.mismatch_count, 2U);
  EXPECT_DOUBLE_EQ(result.max_error, 6);
  EXPECT_NE(result.reason.find("2 of 4 elements differ; [2] is 9, expected 3"), std::string::npos) << result.reason;
}

TEST(Compare, NanAndInfinityMatchThemselvesOnly) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare(floats({nan, inf, -inf}), floats({nan, inf, -inf}), 0).matches);
  EXPECT_FALSE(compare(floats({nan}), floats({1}), 1e30).matches);
  EXPECT_FALSE(compare(floats({1}), floats({nan}), 1e30).matches);
  EXPECT_FALSE(compare(floats({1}), floats({inf}), 1e30).matches);
  EXPECT_FALSE(compare(floats({inf}), floats({-inf}), 1e30).matches);
  EXPECT_TRUE(std::isnan(compare(floats({1, nan, 5}), floats({1, 1, 1}), 0).max_error));
}

TEST(Compare, ToleranceGrowsWithTheExpectedValue) {
  EXPECT_TRUE(compare(floats({1000.5F}), floats({1000}), 1e-3).matches);
  EXPECT_FALSE(compare(floats({0.5F}), floats({0.4F}), 1e-3).matches);
}

TEST(Compare, IntegersAtBothEndsOfTheirRange) {
  Array least = make_array(ScalarType::Long, {}), most = make_array(ScalarType::Long, {});
  const std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  std::memcpy(least.bytes.data(), &low, sizeof low);
  std::memcpy(most.bytes.data(), &high, sizeof high);
  const Comparison result = compare(least, most, 1e18);
  EXPECT_FALSE(result.matches);
  EXPECT_GT(result.max_error, 1.8e19);
}

TEST(Fill, CoversEveryDtype) {
  for (const ScalarType type :
       {ScalarType::Float, ScalarType::Half, ScalarType::BFloat16, ScalarType::Double, ScalarType::Char,
        ScalarType::Byte, ScalarType::Short, ScalarType::Int, ScalarType::Long, ScalarType::Bool}) {
    Array array = make_array(type, {3});
    fill_ones(array);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(element_as_double(array, i), 1) << dtype_name(type);
    fill_random(array, 1);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GE(element_as_double(array, i), -1);
      EXPECT_LT(element_as_double(array, i), type == ScalarType::Bool ? 2 : 4);
    }
  }
  EXPECT_THROW(make_array(ScalarType::ComplexFloat, {1}), Failure);
}

}  // namespace
}  // namespace trtet
