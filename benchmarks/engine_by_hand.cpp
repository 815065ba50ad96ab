#include "engine_by_hand.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace benchmarks {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
  }
}

void EngineByHand::Quiet::log(Severity severity, const char* text) noexcept {
  if (severity <= Severity::kERROR) std::fprintf(stderr, "%s\n", text);
}

EngineByHand::EngineByHand(const void* plan, size_t bytes)
    : runtime_(nvinfer1::createInferRuntime(logger_)), engine_(runtime_->deserializeCudaEngine(plan, bytes)) {
  if (!engine_) throw std::runtime_error("the plan was refused");
  context_.reset(engine_->createExecutionContext());
  if (!context_) throw std::runtime_error("no execution context");
}

void EngineByHand::bind(const char* name, void* device_address) {
  if (!context_->setTensorAddress(name, device_address)) throw std::runtime_error(std::string("address of ") + name);
}

void EngineByHand::set_shape(const char* name, const std::vector<int64_t>& shape) {
  nvinfer1::Dims dims{};
  dims.nbDims = static_cast<int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), dims.d);
  if (!context_->setInputShape(name, dims)) throw std::runtime_error(std::string("shape of ") + name);
}

void EngineByHand::enqueue() {
  if (!context_->enqueueV3(cudaStreamPerThread)) throw std::runtime_error("enqueueV3");
}

void EngineByHand::wait() { check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize"); }

}  // namespace benchmarks
