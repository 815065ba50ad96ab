// spec: init step 8; case 19.
#include "rig/add_one.h"
#include "rig/fixture.h"

namespace contract {
namespace {

constexpr int64_t kWeights = 4096;
constexpr int64_t kAutomatic = 2048;  // the stand-in's: half of the weights

class WeightStreaming : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    NEEDS_SIMULATED_CUDA("a budget is seen by the device memory that the stand-in takes for it");
    const uint64_t before = live().device_bytes;
    const auto streams_all = with({option("weight_streaming_budget", 0)});
    ASSERT_EQ(streams_all.error, Error::Ok);
    without_weights_ = live().device_bytes - before;
    before_ = before;
  }
  // Bytes of streamed weights kept on the device by the one engine that is loaded.
  int64_t budget_in_use() const { return static_cast<int64_t>(live().device_bytes - before_ - without_weights_); }
  static Loaded with(std::vector<BackendOption> options, std::vector<std::pair<std::string, std::string>> specs = {}) {
    LoadRequest request(one_in_one_out(plans::streaming(kWeights)));
    request.options = std::move(options);
    request.compile_specs = std::move(specs);
    return load(request);
  }

 private:
  uint64_t before_ = 0;
  uint64_t without_weights_ = 0;
};

TEST_F(WeightStreaming, BudgetIsSetBeforeTheContextExists) {
  // The stand-in reports a budget set while a context lives; the fixture fails on any report.
  auto loaded = with({option("weight_streaming_budget", "2048")});
  ASSERT_EQ(loaded.error, Error::Ok);
  EXPECT_EQ(budget_in_use(), 2048);
}

TEST_F(WeightStreaming, SpecSetsTheBudget) {
  const auto loaded = with({}, {{"weight_streaming_budget", "512"}});
  ASSERT_EQ(loaded.error, Error::Ok);
  EXPECT_EQ(budget_in_use(), 512);
}

TEST_F(WeightStreaming, OptionWinsOverTheSpec) {
  for (const BackendOption& budget :
       {option("weight_streaming_budget", 256), option("weight_streaming_budget", "256")}) {
    const auto loaded = with({budget}, {{"weight_streaming_budget", "512"}});
    ASSERT_EQ(loaded.error, Error::Ok);
    EXPECT_EQ(budget_in_use(), 256);
  }
}

TEST_F(WeightStreaming, EmptyOptionFallsBackToTheSpec) {
  const ScopedLog log;
  const auto loaded = with({option("weight_streaming_budget", "")}, {{"weight_streaming_budget", "512"}});
  ASSERT_EQ(loaded.error, Error::Ok);
  EXPECT_EQ(budget_in_use(), 512);
}

TEST_F(WeightStreaming, BudgetIsClampedToTheStreamableWeights) {
  // The stand-in reports a larger one as misuse.
  const auto loaded = with({option("weight_streaming_budget", "1000000")});
  ASSERT_EQ(loaded.error, Error::Ok);
  EXPECT_EQ(budget_in_use(), kWeights);
}

TEST_F(WeightStreaming, WithoutABudgetTheAutomaticOneIsSet) {
  const auto loaded = with({});
  ASSERT_EQ(loaded.error, Error::Ok);
  EXPECT_EQ(budget_in_use(), kAutomatic);
}

TEST_F(WeightStreaming, WhenTheAutomaticOneCannotBeSetZeroIs) {
  fail_tensorrt("ICudaEngine::setWeightStreamingBudgetV2", 1);
  const ScopedLog log;
  const auto loaded = with({});
  ASSERT_EQ(loaded.error, Error::Ok);
  EXPECT_EQ(budget_in_use(), 0);
}

// The load goes on, so what TensorRT said then must be no later error's cause.
TEST_F(WeightStreaming, WhatTensorRTSaidOfARefusedBudgetIsNotSaidAgain) {
  fail_tensorrt("ICudaEngine::setWeightStreamingBudgetV2", 1);
  ScopedLog log;
  AddOne add(with({}), filled(Place::kDevice, kIn), Buffer(Place::kDevice, 16));
  ASSERT_TRUE(log.has({"failure injected"}));
  log.clear();
  TensorArg integers(ScalarType::Int, {4}, add.in);
  Call call({&integers, &add.y});
  EXPECT_EQ(add.loaded->execute(call), Error::InvalidArgument);
  EXPECT_EQ(log.count({"failure injected"}), 0) << log.text();
}

TEST_F(WeightStreaming, WhatTensorRTSaidInOneLoadIsNotSaidInTheNext) {
  fail_tensorrt("ICudaEngine::setWeightStreamingBudgetV2", 1);
  const auto loaded = with({});
  ASSERT_EQ(loaded.error, Error::Ok);
  const ScopedLog log;
  EXPECT_EQ(load(std::string("no blob")).error, Error::InvalidProgram);
  EXPECT_EQ(log.count({"failure injected"}), 0) << log.text();
}

TEST_F(WeightStreaming, ZeroIsABudget) {
  const auto loaded = with({option("weight_streaming_budget", 0)});
  ASSERT_EQ(loaded.error, Error::Ok);
  EXPECT_EQ(budget_in_use(), 0);
}

TEST_F(WeightStreaming, ExplicitBudgetThatCannotBeSetIsRefused) {
  fail_tensorrt("ICudaEngine::setWeightStreamingBudgetV2", 1);
  const ScopedLog log;
  EXPECT_NE(with({option("weight_streaming_budget", 128)}).error, Error::Ok);
  EXPECT_TRUE(log.has({"weight", "128"}));
}

TEST_F(WeightStreaming, EngineWithoutStreamableWeightsLogsOneLine) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {option("weight_streaming_budget", 128)};
  const ScopedLog log;
  const Calls calls;
  EXPECT_EQ(load(request).error, Error::Ok);
  EXPECT_EQ(log.count({"weight", "stream"}), 1) << log.text();
  EXPECT_EQ(calls.tensorrt("ICudaEngine::setWeightStreamingBudgetV2"), 0);
}

TEST_F(WeightStreaming, EngineWithoutStreamableWeightsAndNoBudgetSaysNothing) {
  const ScopedLog log;
  const Calls calls;
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::Ok);
  EXPECT_EQ(log.count({"weight"}), 0) << log.text();
  EXPECT_EQ(calls.tensorrt("ICudaEngine::setWeightStreamingBudgetV2"), 0);
}

TEST_F(WeightStreaming, ResultIsRightUnderEveryBudget) {
  for (const int budget : {0, 128, 4096}) {
    AddOne add(with({option("weight_streaming_budget", budget)}), filled(Place::kPageable, kIn),
               Buffer(Place::kPageable, 16));
    EXPECT_TRUE(add.gives_the_sum()) << budget;
  }
}

}  // namespace
}  // namespace contract
