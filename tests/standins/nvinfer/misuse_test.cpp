// Wrong use that TensorRT would leave undefined is reported.
#include <thread>

#include "rig.h"

namespace standins {
namespace {

class Misuse : public StandinTest {
 protected:
  void prepare() {
    load(add_one_plan());
    ASSERT_TRUE(context->setInputShape("x", dims({1, 4})));
    bind("x", x);
    bind("y", y);
    standin_cuda_set("mode", "lazy");
  }
  void leave_pending() {
    prepare();
    ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  }
  void finish() { ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess); }

  DeviceBuffer x{16}, y{16};
};

TEST_F(Misuse, EditingWhileWorkIsPending) {
  leave_pending();
  ASSERT_TRUE(context->setTensorAddress("x", x.get()));
  expect_misuse("IExecutionContext::setTensorAddress while 1 of its launches are pending");
  ASSERT_TRUE(context->setInputShape("x", dims({1, 4})));
  expect_misuse("IExecutionContext::setInputShape while 1");
  EXPECT_EQ(context->inferShapes(0, nullptr), 0);
  expect_misuse("IExecutionContext::inferShapes while 1");
  finish();
  ASSERT_TRUE(context->setTensorAddress("x", x.get()));
}

TEST_F(Misuse, LaunchingOnAnotherStreamWhileWorkIsPending) {
  leave_pending();
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread)) << "the same stream runs one after another";
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_TRUE(context->enqueueV3(other));
  expect_misuse("enqueueV3 while 2 of its launches are pending on another stream");
  finish();
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  cudaStreamDestroy(other);
}

TEST_F(Misuse, DestroyingAContextWhileWorkIsPending) {
  leave_pending();
  context.reset();
  expect_misuse("destroyed with 1 launches pending");
  finish();
  EXPECT_EQ(standin_tensorrt_pending(), 0u);
}

TEST_F(Misuse, DestroyingAnEngineBeforeItsContext) {
  prepare();
  engine.reset();
  expect_misuse("destroyed before 1 of its contexts");
}

TEST_F(Misuse, DestroyingARuntimeBeforeItsEngine) {
  prepare();
  context.reset();
  runtime.reset();
  expect_misuse("IRuntime: destroyed before 1 of its engines");
  engine.reset();
}

TEST_F(Misuse, ReenteringFromTheLogger) {
  struct Reentering : Logger {
    void log(Severity severity, char const* message) noexcept override {
      Logger::log(severity, message);
      if (context != nullptr) context->getOptimizationProfile();
    }
    nvinfer1::IExecutionContext* context = nullptr;
  } reentering;
  std::unique_ptr<nvinfer1::IRuntime> other(nvinfer1::createInferRuntime(reentering));
  const std::string bytes = write_plan(add_one_plan());
  std::unique_ptr<nvinfer1::ICudaEngine> its_engine(other->deserializeCudaEngine(bytes.data(), bytes.size()));
  std::unique_ptr<nvinfer1::IExecutionContext> its_context(its_engine->createExecutionContext());
  reentering.context = its_context.get();
  EXPECT_FALSE(its_context->setTensorAddress("none", nullptr));
  expect_misuse("getOptimizationProfile re-enters from a call that is in progress");
}

TEST_F(Misuse, ASecondThreadInsideACall) {
  struct Holding : Logger {
    void log(Severity, char const*) noexcept override {
      std::thread([this] { context->getOptimizationProfile(); }).join();
    }
    nvinfer1::IExecutionContext* context = nullptr;
  } holding;
  std::unique_ptr<nvinfer1::IRuntime> other(nvinfer1::createInferRuntime(holding));
  const std::string bytes = write_plan(add_one_plan());
  std::unique_ptr<nvinfer1::ICudaEngine> its_engine(other->deserializeCudaEngine(bytes.data(), bytes.size()));
  std::unique_ptr<nvinfer1::IExecutionContext> its_context(its_engine->createExecutionContext());
  holding.context = its_context.get();
  EXPECT_FALSE(its_context->setTensorAddress("none", nullptr));
  expect_misuse("is called while another thread is in a call");
}

TEST_F(Misuse, SharedActivationMemoryInUseByTwoLaunches) {
  Plan plan = add_one_plan();
  plan.activation_bytes = 256;
  load(plan, Strategy::kUSER_MANAGED);
  std::unique_ptr<nvinfer1::IExecutionContext> second(engine->createExecutionContext(Strategy::kUSER_MANAGED));
  const DeviceBuffer block(512);
  for (auto* each : {context.get(), second.get()}) {
    each->setDeviceMemoryV2(block.get(), 512);
    ASSERT_TRUE(each->setInputShape("x", dims({1, 4})));
    ASSERT_TRUE(each->setTensorAddress("x", x.get()));
    ASSERT_TRUE(each->setTensorAddress("y", y.get()));
  }
  standin_cuda_set("mode", "lazy");
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  ASSERT_TRUE(second->enqueueV3(cudaStreamPerThread)) << "one stream takes turns";
  finish();
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  ASSERT_TRUE(second->enqueueV3(other));
  expect_misuse("activation memory is in use by a pending launch of standin");
  standin_cuda_drain();
  second.reset();
  cudaStreamDestroy(other);
}

TEST_F(Misuse, SettingMemoryOfAContextThatHasItsOwn) {
  prepare();
  context->setDeviceMemoryV2(x.get(), 16);
  expect_misuse("setDeviceMemoryV2 without kUSER_MANAGED");
}

TEST_F(Misuse, ABufferThatIsTooShort) {
  prepare();
  ASSERT_TRUE(context->setInputShape("x", dims({8, 4})));
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaErrorIllegalAddress);
  EXPECT_FALSE(context->enqueueV3(cudaStreamPerThread)) << "the failure is sticky";
  expect_misuse("standin: x: 128 bytes at");
  standin_cuda_reset();
}

TEST_F(Misuse, HostMemoryIsNotTheDevices) {
  prepare();
  float host[4] = {};
  ASSERT_TRUE(context->setTensorAddress("x", host));
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaErrorIllegalAddress);
  expect_misuse("standin: x: 16 bytes at");
  standin_cuda_reset();
}

class TwoGpus : public StandinTest {
 protected:
  TwoGpus() { standin_cuda_set("devices", "2"); }
  ~TwoGpus() override { cudaSetDevice(0); }
};

TEST_F(TwoGpus, AnAddressOfTheOtherIsAFault) {
  load(add_one_plan());
  ASSERT_TRUE(context->setInputShape("x", dims({1, 4})));
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const DeviceBuffer far(16);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  const DeviceBuffer near(16);
  bind("x", far);
  bind("y", near);
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaErrorIllegalAddress);
  expect_misuse("standin: x: 16 bytes at");
  standin_cuda_reset();
  standin_cuda_set("devices", "2");

  ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  run();
}

TEST_F(TwoGpus, LaunchingWithTheOtherCurrent) {
  load(add_one_plan());
  ASSERT_TRUE(context->setInputShape("x", dims({1, 4})));
  const DeviceBuffer x(16), y(16);
  bind("x", x);
  bind("y", y);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_FALSE(context->enqueueV3(cudaStreamPerThread));
  expect_misuse("enqueued with GPU 1 current, the engine is on GPU 0");
  context.reset();
  expect_misuse("destroyed with GPU 1 current");
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

}  // namespace
}  // namespace standins
