// The engine run with nothing between: what any delegate must at least do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <NvInferRuntime.h>
#include <cuda_runtime_api.h>

namespace benchmarks {

// Throws std::runtime_error naming the call when a CUDA call failed.
void check(cudaError_t status, const char* call);

class EngineByHand {
 public:
  EngineByHand(const void* plan, size_t bytes);
  explicit EngineByHand(const std::string& plan) : EngineByHand(plan.data(), plan.size()) {}

  void bind(const char* name, void* device_address);
  void set_shape(const char* name, const std::vector<int64_t>& shape);
  // Enqueues on cudaStreamPerThread; does not wait.
  void enqueue();
  static void wait();
  const nvinfer1::ICudaEngine& engine() const { return *engine_; }

 private:
  class Quiet final : public nvinfer1::ILogger {
   public:
    void log(Severity severity, const char* text) noexcept override;
  };
  Quiet logger_;
  std::unique_ptr<nvinfer1::IRuntime> runtime_;
  std::unique_ptr<nvinfer1::ICudaEngine> engine_;
  std::unique_ptr<nvinfer1::IExecutionContext> context_;
};

}  // namespace benchmarks
