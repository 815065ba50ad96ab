// Profiles, shapes, addresses, activation memory and launches of a context.
#include "rig.h"

namespace standins {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Context : public StandinTest {
 protected:
  // x and y of `rows` rows are bound and shaped.
  void prepare(int64_t rows) {
    const auto count = static_cast<std::size_t>(rows) * 4;
    x = std::make_unique<DeviceBuffer>(std::vector<float>(count, 1.0f));
    y = std::make_unique<DeviceBuffer>(std::vector<float>(count, 0.0f));
    ASSERT_TRUE(context->setInputShape("x", dims({rows, 4})));
    bind("x", *x);
    bind("y", *y);
  }
  std::unique_ptr<DeviceBuffer> x, y;
};

Plan two_profiles() {
  Plan plan = add_one_plan();
  plan.profiles.clear();
  plan.profile({{"x", {{1, 4}, {2, 4}, {4, 4}}}}).profile({{"x", {{8, 4}, {8, 4}, {16, 4}}}});
  return plan;
}

TEST_F(Context, RefusesShapesOutsideItsProfile) {
  load(two_profiles());
  EXPECT_FALSE(context->setInputShape("x", dims({5, 4})));
  EXPECT_FALSE(context->setInputShape("x", dims({2, 3})));
  EXPECT_FALSE(context->setInputShape("x", dims({4})));
  EXPECT_FALSE(context->setInputShape("y", dims({2, 4})));
  EXPECT_FALSE(context->setInputShape("z", dims({2, 4})));
  EXPECT_THAT(logger.errors,
              ElementsAre(HasSubstr("dimension 0 is 5, the profile allows 1 to 4"),
                          HasSubstr("dimension 1 is 3, the profile allows 4 to 4"), HasSubstr("rank 1, engine has 2"),
                          HasSubstr("output"), HasSubstr("invalid tensor name: z")));
}

TEST_F(Context, AnotherProfileForgetsDynamicShapes) {
  load(two_profiles());
  EXPECT_EQ(engine->getNbOptimizationProfiles(), 2);
  prepare(2);
  run();
  ASSERT_TRUE(context->setOptimizationProfileAsync(1, cudaStreamPerThread));
  EXPECT_EQ(context->getOptimizationProfile(), 1);
  const char* unset = nullptr;
  EXPECT_EQ(context->inferShapes(1, &unset), 1);
  EXPECT_STREQ(unset, "x");
  EXPECT_FALSE(context->enqueueV3(cudaStreamPerThread));
  EXPECT_FALSE(context->setInputShape("x", dims({2, 4})));
  prepare(8);
  run();
  EXPECT_EQ(y->read<float>(), std::vector<float>(32, 2.0f));
  EXPECT_FALSE(context->setOptimizationProfileAsync(2, cudaStreamPerThread));
}

TEST_F(Context, RefusesALaunchWithoutAddresses) {
  load(add_one_plan());
  ASSERT_TRUE(context->setInputShape("x", dims({1, 4})));
  EXPECT_FALSE(context->enqueueV3(nullptr));
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("address of tensor x is not set")));
}

TEST_F(Context, TheWorkRunsBehindTheCaller) {
  load(add_one_plan());
  prepare(1);
  standin_cuda_set("mode", "lazy");
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  EXPECT_EQ(standin_tensorrt_pending(), 1u);
  EXPECT_EQ(standin_tensorrt_finished(), 0u);
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(standin_tensorrt_pending(), 0u);
  EXPECT_EQ(standin_tensorrt_finished(), 1u);
  EXPECT_EQ(y->read<float>(), std::vector<float>(4, 2.0f));
}

TEST_F(Context, APlanCanRefuseOrFaultEveryLaunch) {
  load(add_one_plan());
  prepare(1);
  standin_tensorrt_set("enqueue", "refused");
  EXPECT_FALSE(context->enqueueV3(cudaStreamPerThread));
  standin_tensorrt_set("enqueue", "faults");
  EXPECT_TRUE(context->enqueueV3(cudaStreamPerThread));
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaErrorIllegalAddress);
  EXPECT_FALSE(context->enqueueV3(cudaStreamPerThread)) << "the failure is sticky";
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("refuses every launch"), HasSubstr("illegal memory access")));
}

TEST_F(Context, UserManagedMemoryMustBeThereAndLargeEnough) {
  Plan plan = add_one_plan();
  plan.activation_bytes = 1000;
  load(plan, Strategy::kUSER_MANAGED);
  prepare(1);
  EXPECT_EQ(engine->getDeviceMemorySizeForProfileV2(0), 1024);
  EXPECT_EQ(context->updateDeviceMemorySizeForShapes(), 1024u);
  EXPECT_FALSE(context->enqueueV3(nullptr));
  const DeviceBuffer block(1024);
  context->setDeviceMemoryV2(block.get(), 1023);
  EXPECT_FALSE(context->enqueueV3(nullptr));
  context->setDeviceMemoryV2(static_cast<char*>(block.get()) + 16, 1024);
  context->setDeviceMemoryV2(block.get(), 1024);
  run();
  EXPECT_THAT(logger.errors, ElementsAre(HasSubstr("of 0 bytes, 1024 needed"), HasSubstr("of 1023 bytes"),
                                         HasSubstr("needs a multiple of 256")));
}

TEST_F(Context, AlignmentIsCountedOrRequired) {
  load(add_one_plan());
  prepare(1);
  const DeviceBuffer wide(std::vector<float>(64, 1.0f));
  ASSERT_TRUE(context->setTensorAddress("x", static_cast<char*>(wide.get()) + 16));
  run();
  EXPECT_EQ(standin_tensorrt_underaligned_addresses(), 1u);
  standin_tensorrt_set("alignment", "16");
  run();
  standin_tensorrt_set("alignment", "256");
  EXPECT_FALSE(context->enqueueV3(nullptr));
  expect_misuse("of tensor x is no multiple of 256");
}

TEST_F(Context, ReplaysInAGraphWithTheAddressesOfItsCapture) {
  load(add_one_plan());
  prepare(1);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  run(stream);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_TRUE(context->enqueueV3(stream));
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(standin_tensorrt_pending(), 0u);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);

  const std::vector<float> changed(4, 41.0f);
  ASSERT_EQ(cudaMemcpy(x->get(), changed.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(y->read<float>(), std::vector<float>(4, 42.0f));
  EXPECT_EQ(standin_tensorrt_finished(), 2u);

  context.reset();
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  expect_misuse("replayed after its destruction");
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_F(Context, AnEngineThatSynchronisesCannotBeCaptured) {
  Plan plan = add_one_plan();
  plan.refuses_capture = true;
  load(plan);
  prepare(1);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  run(stream);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_FALSE(context->enqueueV3(stream));
  EXPECT_NE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(logger.errors.size(), 1u);
  (void)cudaGetLastError();
  run(stream);
  cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace standins
