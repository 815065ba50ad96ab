// An engine of the stand-in under test, with device buffers, on the CUDA stand-in.
#ifndef TESTS_STANDINS_NVINFER_RIG_H_
#define TESTS_STANDINS_NVINFER_RIG_H_

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "NvInferRuntime.h"
#include "standins/cuda_control.h"
#include "standins/plan.h"
#include "standins/tensorrt_control.h"

namespace standins {

using nvinfer1::Dims;
using Strategy = nvinfer1::ExecutionContextAllocationStrategy;

inline std::vector<std::string> all_misuse() {
  std::vector<std::string> lines;
  for (std::size_t i = 0; standin_tensorrt_misuse(i) != nullptr; ++i) {
    lines.emplace_back(standin_tensorrt_misuse(i));
  }
  return lines;
}

struct Logger : nvinfer1::ILogger {
  void log(Severity severity, char const* message) noexcept override {
    if (severity <= Severity::kERROR) errors.emplace_back(message);
  }
  std::vector<std::string> errors;
};

class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) { EXPECT_EQ(cudaMalloc(&data_, bytes), cudaSuccess); }
  template <class T>
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size() * sizeof(T)) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), bytes_, cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* get() const { return data_; }
  template <class T>
  std::vector<T> read() const {
    std::vector<T> values(bytes_ / sizeof(T));
    EXPECT_EQ(cudaMemcpy(values.data(), data_, bytes_, cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

inline Dims dims(std::initializer_list<int64_t> extents) {
  Dims out{};
  for (int64_t extent : extents) out.d[out.nbDims++] = extent;
  return out;
}

// y = x + 1, dynamic batch of 1 to 8 rows of 4.
inline Plan add_one_plan() {
  Plan plan;
  plan.input("x", DType::kFloat32, {-1, 4})
      .output("y", DType::kFloat32, {-1, 4})
      .constant("one", {1}, {1.0f})
      .node("add", {"x", "one"}, "y")
      .profile({{"x", {{1, 4}, {2, 4}, {8, 4}}}});
  return plan;
}

// Starts and ends with both stand-ins as at start, and nothing alive.
class StandinTest : public testing::Test {
 protected:
  StandinTest() {
    standin_cuda_reset();
    standin_tensorrt_reset();
    standin_tensorrt_set("on_misuse", "quiet");
    runtime.reset(nvinfer1::createInferRuntime(logger));
  }
  ~StandinTest() override {
    context.reset();
    engine.reset();
    runtime.reset();
    standin_cuda_drain();
    standin_cuda_reset();
    StandinTensorRtLedger ledger;
    standin_tensorrt_ledger(&ledger);
    EXPECT_EQ(ledger.runtimes + ledger.engines + ledger.contexts + ledger.others, 0u);
    EXPECT_EQ(standin_tensorrt_pending(), 0u);
    EXPECT_THAT(all_misuse(), testing::ElementsAre()) << "call expect_misuse() where it is meant";
    standin_tensorrt_reset();
  }

  void load(const Plan& plan, Strategy strategy = Strategy::kSTATIC) {
    context.reset();
    engine.reset();
    const std::string bytes = write_plan(plan);
    engine.reset(runtime->deserializeCudaEngine(bytes.data(), bytes.size()));
    ASSERT_NE(engine, nullptr) << testing::PrintToString(logger.errors);
    context.reset(engine->createExecutionContext(strategy));
    ASSERT_NE(context, nullptr) << testing::PrintToString(logger.errors);
  }
  void bind(const char* name, const DeviceBuffer& buffer) {
    ASSERT_TRUE(context->setTensorAddress(name, buffer.get()));
  }
  void run(cudaStream_t stream = cudaStreamPerThread) {
    ASSERT_TRUE(context->enqueueV3(stream)) << testing::PrintToString(logger.errors);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  // Exactly one line of misuse so far, which is taken.
  void expect_misuse(const std::string& part) {
    EXPECT_THAT(all_misuse(), testing::ElementsAre(testing::HasSubstr(part)));
    standin_tensorrt_reset();
    standin_tensorrt_set("on_misuse", "quiet");
  }

  Logger logger;
  std::unique_ptr<nvinfer1::IRuntime> runtime;
  std::unique_ptr<nvinfer1::ICudaEngine> engine;
  std::unique_ptr<nvinfer1::IExecutionContext> context;
};

}  // namespace standins

#endif  // TESTS_STANDINS_NVINFER_RIG_H_
