// IExecutionContext of TensorRT 11. Included through NvInferRuntime.h.
#ifndef TENSORRT_INTERFACE_EXECUTION_CONTEXT_H
#define TENSORRT_INTERFACE_EXECUTION_CONTEXT_H

#include "tensorrt_interface/implementation.h"
#include "tensorrt_interface/types.h"

namespace nvinfer1 {

// Not thread-safe, and not to be reconfigured while an enqueue of it is in flight.
class IExecutionContext : public INoCopy {
 public:
  ~IExecutionContext() noexcept override = default;

  ICudaEngine const& getEngine() const noexcept { return mImpl->getEngine(); }
  void setName(char const* name) noexcept { mImpl->setName(name); }
  char const* getName() const noexcept { return mImpl->getName(); }
  void setDebugSync(bool sync) noexcept { mImpl->setDebugSync(sync); }
  bool getDebugSync() const noexcept { return mImpl->getDebugSync(); }
  void setErrorRecorder(IErrorRecorder* recorder) noexcept { mImpl->setErrorRecorder(recorder); }
  IErrorRecorder* getErrorRecorder() const noexcept { return mImpl->getErrorRecorder(); }

  bool setOptimizationProfileAsync(int32_t profileIndex, cudaStream_t stream) noexcept {
    return mImpl->setOptimizationProfileAsync(profileIndex, stream);
  }
  int32_t getOptimizationProfile() const noexcept { return mImpl->getOptimizationProfile(); }

  bool setInputShape(char const* tensorName, Dims const& dims) noexcept {
    return mImpl->setInputShape(tensorName, dims);
  }
  Dims getTensorShape(char const* tensorName) const noexcept {
    return mImpl->getTensorShape(tensorName);
  }
  Dims getTensorStrides(char const* tensorName) const noexcept {
    return mImpl->getTensorStrides(tensorName);
  }
  bool allInputDimensionsSpecified() const noexcept { return mImpl->allInputDimensionsSpecified(); }
  // How many tensors stay unresolved, named up to nbMaxNames; negative on error.
  int32_t inferShapes(int32_t nbMaxNames, char const** tensorNames) noexcept {
    return mImpl->inferShapes(nbMaxNames, tensorNames);
  }
  int64_t getMaxOutputSize(char const* tensorName) const noexcept {
    return mImpl->getMaxOutputSize(tensorName);
  }

  bool setTensorAddress(char const* tensorName, void* data) noexcept {
    return mImpl->setTensorAddress(tensorName, data);
  }
  void const* getTensorAddress(char const* tensorName) const noexcept {
    return mImpl->getTensorAddress(tensorName);
  }
  bool setInputTensorAddress(char const* tensorName, void const* data) noexcept {
    return mImpl->setInputTensorAddress(tensorName, data);
  }
  bool setOutputTensorAddress(char const* tensorName, void* data) noexcept {
    return mImpl->setOutputTensorAddress(tensorName, data);
  }
  void* getOutputTensorAddress(char const* tensorName) const noexcept {
    return mImpl->getOutputTensorAddress(tensorName);
  }

  // Work is complete only after the stream is.
  bool enqueueV3(cudaStream_t stream) noexcept { return mImpl->enqueueV3(stream); }
  bool setInputConsumedEvent(cudaEvent_t event) noexcept {
    return mImpl->setInputConsumedEvent(event);
  }
  cudaEvent_t getInputConsumedEvent() const noexcept { return mImpl->getInputConsumedEvent(); }

  // Activation memory of a kUSER_MANAGED context; sizes are bytes, memory is borrowed.
  std::size_t updateDeviceMemorySizeForShapes() noexcept {
    return mImpl->updateDeviceMemorySizeForShapes();
  }
  void setDeviceMemoryV2(void* memory, int64_t size) noexcept {
    mImpl->setDeviceMemoryV2(memory, size);
  }
  void setPersistentCacheLimit(std::size_t size) noexcept { mImpl->setPersistentCacheLimit(size); }
  std::size_t getPersistentCacheLimit() const noexcept { return mImpl->getPersistentCacheLimit(); }
  bool setNvtxVerbosity(ProfilingVerbosity verbosity) noexcept {
    return mImpl->setNvtxVerbosity(verbosity);
  }
  ProfilingVerbosity getNvtxVerbosity() const noexcept { return mImpl->getNvtxVerbosity(); }
  IRuntimeConfig* getRuntimeConfig() const noexcept { return mImpl->getRuntimeConfig(); }

 protected:
  apiv::VExecutionContext* mImpl;
};

}  // namespace nvinfer1

#endif  // TENSORRT_INTERFACE_EXECUTION_CONTEXT_H
