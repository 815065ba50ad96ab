#include "profiles.h"

#include <initializer_list>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using testing::HasSubstr;

Shape vector_of(std::int32_t size) {
  Shape shape;
  shape.rank = 1;
  shape.sizes[0] = size;
  return shape;
}

using Range = std::pair<int, int>;

// Two inputs of one dimension; per profile a range for each.
struct TwoInputs {
  TwoInputs(std::initializer_list<std::pair<Range, Range>> profiles) {
    for (const char* name : {"a", "b"}) {
      Binding binding;
      binding.name = name;
      binding.is_input = true;
      engine.bindings.push(std::move(binding));
    }
    engine.split_bindings(2);
    for (const auto& [a, b] : profiles) {
      for (const Range& range : {a, b}) {
        engine.bounds.push({vector_of(range.first), vector_of(range.second)});
      }
      ++engine.profile_count;
    }
  }
  int find(int a, int b) {
    engine.inputs[0].wanted = vector_of(a);
    engine.inputs[1].wanted = vector_of(b);
    return find_profile(engine);
  }
  Engine engine;
};

TEST(Profiles, TheFirstThatAdmitsAllInputs) {
  TwoInputs two{{{1, 4}, {1, 4}}, {{2, 8}, {2, 8}}};
  EXPECT_EQ(two.find(1, 1), 0);
  EXPECT_EQ(two.find(4, 4), 0);
  EXPECT_EQ(two.find(4, 5), 1);
  EXPECT_EQ(two.find(8, 2), 1);
  EXPECT_EQ(two.find(1, 5), -1);
  EXPECT_EQ(two.find(0, 1), -1);
  EXPECT_EQ(two.find(9, 2), -1);
}

TEST(Profiles, DimensionOutsideAllIsNamedWithEveryRange) {
  const unit::LogCapture log;
  TwoInputs two{{{1, 4}, {1, 4}}, {{8, 16}, {1, 4}}};
  ASSERT_EQ(two.find(6, 1), -1);
  EXPECT_EQ(report_no_profile(two.engine), Error::InvalidArgument);
  EXPECT_THAT(log.text(), HasSubstr("dimension 0 is 6, allowed is 1..4 or 8..16"));
  EXPECT_THAT(log.text(), HasSubstr(": a"));
}

TEST(Profiles, InputsThatFitOnlyApartAreToldSo) {
  const unit::LogCapture log;
  TwoInputs two{{{1, 4}, {1, 4}}, {{8, 16}, {8, 16}}};
  ASSERT_EQ(two.find(1, 8), -1);
  EXPECT_EQ(report_no_profile(two.engine), Error::InvalidArgument);
  EXPECT_THAT(log.text(), HasSubstr("no optimization profile of the engine's 2 admits all inputs"));
}

TEST(Profiles, RangesThatDoNotFitAreLeftOutWhole) {
  const unit::LogCapture log;
  TwoInputs two{{{1000000, 1000001}, {1, 1}}, {{2000000, 2000001}, {1, 1}}, {{3000000, 3000001}, {1, 1}}};
  ASSERT_EQ(two.find(5, 1), -1);
  (void)report_no_profile(two.engine);
  EXPECT_THAT(log.text(), HasSubstr("allowed is 1000000..1000001 or 2000000..2000001; resize"));
}

TEST(Profiles, TheOneInUseIsNotSetAgain) {
  TwoInputs two{{{1, 4}, {1, 4}}};
  StreamWork work;  // without a context: TensorRT is not called
  EXPECT_EQ(use_profile(0, two.engine, work), Error::Ok);
  EXPECT_FALSE(work.is_queued);
}

}  // namespace
}  // namespace executorch_backend_tensorrt
