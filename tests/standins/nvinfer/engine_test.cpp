// What an engine says of itself, and how it is refused.
#include "rig.h"

namespace standins {
namespace {

using nvinfer1::DataType;
using nvinfer1::OptProfileSelector;
using nvinfer1::TensorFormat;
using testing::ElementsAre;
using testing::HasSubstr;

class Engine : public StandinTest {
 protected:
  nvinfer1::ICudaEngine* deserialize(const std::string& bytes) {
    return runtime->deserializeCudaEngine(bytes.data(), bytes.size());
  }
};

TEST_F(Engine, NamesItsTensors) {
  load(add_one_plan());
  ASSERT_EQ(engine->getNbIOTensors(), 2);
  EXPECT_STREQ(engine->getIOTensorName(0), "x");
  EXPECT_STREQ(engine->getIOTensorName(1), "y");
  EXPECT_EQ(engine->getTensorIOMode("x"), nvinfer1::TensorIOMode::kINPUT);
  EXPECT_EQ(engine->getTensorIOMode("y"), nvinfer1::TensorIOMode::kOUTPUT);
  EXPECT_EQ(engine->getTensorShape("x").d[0], -1);
  EXPECT_EQ(engine->getTensorFormat("x", 0), TensorFormat::kLINEAR);
  EXPECT_EQ(engine->getProfileShape("x", 0, OptProfileSelector::kMAX).d[0], 8);
  EXPECT_EQ(engine->getTensorLocation("x"), nvinfer1::TensorLocation::kDEVICE);
  EXPECT_TRUE(logger.errors.empty());
}

TEST_F(Engine, AWrongNameIsALogLineAndAnEmptyAnswer) {
  load(add_one_plan());
  EXPECT_EQ(engine->getTensorIOMode("z"), nvinfer1::TensorIOMode::kNONE);
  EXPECT_EQ(engine->getTensorShape("z").nbDims, -1);
  EXPECT_EQ(engine->getIOTensorName(2), nullptr);
  EXPECT_EQ(engine->getProfileShape("x", 1, OptProfileSelector::kMIN).nbDims, -1);
  EXPECT_EQ(engine->getProfileShape("y", 0, OptProfileSelector::kMIN).nbDims, -1);
  EXPECT_EQ(logger.errors.size(), 5u);
}

TEST_F(Engine, KnowsEveryDType) {
  Plan plan;
  for (int i = 0; i <= 11; ++i) {
    const std::string name = "t" + std::to_string(i);
    plan.input(name, static_cast<DType>(i), {2});
    plan.output(name + "_out", static_cast<DType>(i), {2});
    plan.node("identity", {name}, name + "_out");
  }
  load(plan);
  for (int i = 0; i <= 11; ++i) {
    const std::string name = "t" + std::to_string(i);
    EXPECT_EQ(engine->getTensorDataType(name.c_str()), static_cast<DataType>(i));
  }
}

TEST_F(Engine, DescribesAVectorisedTensorAndDoesNotComputeOnIt) {
  Plan plan;
  plan.input("x", DType::kInt8, {1, 4, 2, 2}).output("y", DType::kInt8, {1, 4, 2, 2});
  plan.node("identity", {"x"}, "y");
  PlanTensor& x = plan.tensor("x");
  x.format = 3;
  x.components = 4;
  x.vectorized_dim = 1;
  load(plan);
  EXPECT_EQ(engine->getTensorFormat("x", 0), static_cast<TensorFormat>(3));
  EXPECT_EQ(engine->getTensorComponentsPerElement("x", 0), 4);
  EXPECT_EQ(engine->getTensorBytesPerComponent("x", 0), 1);
  EXPECT_EQ(engine->getTensorVectorizedDim("x", 0), 1);
  EXPECT_EQ(engine->getTensorComponentsPerElement("y", 0), -1);
  DeviceBuffer in(16), out(16);
  bind("x", in);
  bind("y", out);
  EXPECT_FALSE(context->enqueueV3(nullptr));
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("vectorised")));
}

TEST_F(Engine, RefusesAnotherVersionWithBothTags) {
  Plan plan = add_one_plan();
  plan.version = {11, 1, 0, 106};
  EXPECT_EQ(deserialize(write_plan(plan)), nullptr);
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("Current Version: 244, Serialized Engine Version: 241")));
  standin_tensorrt_set("version", "11.1.0.1");
  std::unique_ptr<nvinfer1::ICudaEngine> same(deserialize(write_plan(plan)));
  EXPECT_NE(same, nullptr);
}

TEST_F(Engine, RefusesWithEqualVersionsWhenToldTo) {
  Plan plan = add_one_plan();
  plan.load_refusal = "Target GPU SM 90 is not supported";
  EXPECT_EQ(deserialize(write_plan(plan)), nullptr);
  standin_tensorrt_set("load_refusal", "no reason given");
  EXPECT_EQ(deserialize(write_plan(add_one_plan())), nullptr);
  EXPECT_THAT(logger.errors, ElementsAre("Target GPU SM 90 is not supported", "no reason given"));
}

TEST_F(Engine, RefusesWhatIsNoPlan) {
  const std::string damaged(64, '\7');
  EXPECT_EQ(deserialize(damaged), nullptr);
  EXPECT_EQ(deserialize("short"), nullptr);
  const std::string bytes = write_plan(add_one_plan());
  EXPECT_EQ(deserialize(bytes.substr(0, bytes.size() - 1)), nullptr);
  EXPECT_EQ(runtime->deserializeCudaEngine(nullptr, 0), nullptr);
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("(117901063 != 1953657958)"), HasSubstr("Truncated"),
                                         HasSubstr("truncated"), HasSubstr("null")));
}

TEST_F(Engine, RefusesAnUnknownOperation) {
  Plan plan;
  plan.input("x", DType::kFloat32, {2}).output("y", DType::kFloat32, {2});
  plan.node("fourier", {"x"}, "y");
  EXPECT_EQ(deserialize(write_plan(plan)), nullptr);
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("'fourier' is unknown")));
}

TEST_F(Engine, ReportsItsVersion) {
  EXPECT_EQ(getInferLibVersion(), 110400);
  standin_tensorrt_set("version", "10.3.2.1");
  EXPECT_EQ(getInferLibMajorVersion(), 10);
  EXPECT_EQ(getInferLibMinorVersion(), 3);
  EXPECT_EQ(getInferLibPatchVersion(), 2);
  EXPECT_EQ(getInferLibBuildVersion(), 1);
}

TEST_F(Engine, WithoutADriverTheRuntimeIsNeitherNullNorValid) {
  standin_cuda_set("driver", "none");
  Logger other;
  nvinfer1::IRuntime* const broken = nvinfer1::createInferRuntime(other);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(broken), 0x228u);
  EXPECT_THAT(other.errors, ElementsAre("CUDA initialization failure with error: 35"));
  standin_cuda_set("driver", "ok");
}

TEST_F(Engine, WeightsAndConstantsTakeDeviceMemory) {
  StandinCudaLedger before, after;
  standin_cuda_ledger(0, &before);
  Plan plan = add_one_plan();
  plan.weights_bytes = 1 << 20;
  plan.activation_bytes = 4096;
  load(plan);
  standin_cuda_ledger(0, &after);
  EXPECT_EQ(after.bytes - before.bytes, (1u << 20) + 256 + 4096);
  context.reset();
  engine.reset();
  standin_cuda_ledger(0, &after);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(standin_cuda_count("cudaMalloc"), 0u) << "TensorRT's own calls are not counted";
}

TEST_F(Engine, OutOfMemoryIsNullAndALogLine) {
  const std::string bytes = write_plan(add_one_plan());
  standin_cuda_set("oom_every", "1");
  EXPECT_EQ(deserialize(bytes), nullptr);
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("out of memory")));
}

class WeightStreaming : public Engine {
 protected:
  static Plan plan() {
    Plan streaming = add_one_plan();
    streaming.streamable_weights_bytes = 1 << 20;
    return streaming;
  }
};

TEST_F(WeightStreaming, TheBudgetIsWhatTheContextTakes) {
  const std::string bytes = write_plan(plan());
  engine.reset(deserialize(bytes));
  ASSERT_EQ(engine->getStreamableWeightsSize(), 1 << 20);
  EXPECT_EQ(engine->getWeightStreamingAutomaticBudget(), 1 << 19);
  EXPECT_EQ(engine->getWeightStreamingBudgetV2(), 1 << 20);
  EXPECT_FALSE(engine->setWeightStreamingBudgetV2(-1));
  ASSERT_TRUE(engine->setWeightStreamingBudgetV2(4096));
  StandinCudaLedger before, after;
  standin_cuda_ledger(0, &before);
  context.reset(engine->createExecutionContext());
  standin_cuda_ledger(0, &after);
  EXPECT_EQ(after.bytes - before.bytes, 4096u);
}

using WeightStreamingDeathTest = WeightStreaming;

TEST_F(WeightStreamingDeathTest, ALateBudgetAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        load(plan());
        engine->setWeightStreamingBudgetV2(0);
      },
      "setWeightStreamingBudgetV2 called on engine standin while 1 of its contexts exist");
}

TEST_F(WeightStreamingDeathTest, CallsOnAnEngineThatDoesNotStreamAbort) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        load(add_one_plan());
        engine->getWeightStreamingAutomaticBudget();
      },
      "getWeightStreamingAutomaticBudget called on engine standin, which streams no weights");
}

TEST_F(WeightStreamingDeathTest, WhatIsNotSimulatedAbortsWithItsName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        load(add_one_plan());
        engine->serialize();
      },
      "ICudaEngine::serialize is not simulated");
}

}  // namespace
}  // namespace standins
