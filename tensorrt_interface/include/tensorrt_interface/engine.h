// ICudaEngine of TensorRT 11. Included through NvInferRuntime.h.
#ifndef TENSORRT_INTERFACE_ENGINE_H
#define TENSORRT_INTERFACE_ENGINE_H

#include "tensorrt_interface/implementation.h"
#include "tensorrt_interface/types.h"

namespace nvinfer1 {

// Names, descriptions and profile values returned are owned by the engine and live as long as it.
class ICudaEngine : public INoCopy {
 public:
  ~ICudaEngine() noexcept override = default;

  char const* getName() const noexcept { return mImpl->getName(); }
  int32_t getNbLayers() const noexcept { return mImpl->getNbLayers(); }
  int32_t getNbOptimizationProfiles() const noexcept { return mImpl->getNbOptimizationProfiles(); }
  bool isRefittable() const noexcept { return mImpl->isRefittable(); }
  EngineCapability getEngineCapability() const noexcept { return mImpl->getEngineCapability(); }
  HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept {
    return mImpl->getHardwareCompatibilityLevel();
  }
  ProfilingVerbosity getProfilingVerbosity() const noexcept {
    return mImpl->getProfilingVerbosity();
  }
  int32_t getNbAuxStreams() const noexcept { return mImpl->getNbAuxStreams(); }
  int64_t getEngineStat(EngineStat stat) const noexcept { return mImpl->getEngineStat(stat); }
  void setErrorRecorder(IErrorRecorder* recorder) noexcept { mImpl->setErrorRecorder(recorder); }
  IErrorRecorder* getErrorRecorder() const noexcept { return mImpl->getErrorRecorder(); }
  IHostMemory* serialize() const noexcept { return mImpl->serialize(); }

  // The context is owned by the caller and must go before the engine.
  IExecutionContext* createExecutionContext(
      ExecutionContextAllocationStrategy strategy =
          ExecutionContextAllocationStrategy::kSTATIC) noexcept {
    return mImpl->createExecutionContext(strategy);
  }
  IExecutionContext* createExecutionContext(IRuntimeConfig* config) noexcept {
    return mImpl->createExecutionContextWithRuntimeConfig(config);
  }
  IRuntimeConfig* createRuntimeConfig() noexcept { return mImpl->createRuntimeConfig(); }

  int32_t getNbIOTensors() const noexcept { return mImpl->getNbIOTensors(); }
  char const* getIOTensorName(int32_t index) const noexcept {
    return mImpl->getIOTensorName(index);
  }
  Dims getTensorShape(char const* tensorName) const noexcept {
    return mImpl->getTensorShape(tensorName);
  }
  DataType getTensorDataType(char const* tensorName) const noexcept {
    return mImpl->getTensorDataType(tensorName);
  }
  TensorLocation getTensorLocation(char const* tensorName) const noexcept {
    return mImpl->getTensorLocation(tensorName);
  }
  bool isShapeInferenceIO(char const* tensorName) const noexcept {
    return mImpl->isShapeInferenceIO(tensorName);
  }
  TensorIOMode getTensorIOMode(char const* tensorName) const noexcept {
    return mImpl->getTensorIOMode(tensorName);
  }
  char const* getAliasedInputTensor(char const* tensorName) const noexcept {
    return mImpl->getAliasedInputTensor(tensorName);
  }
  bool isDebugTensor(char const* tensorName) const noexcept {
    return mImpl->isDebugTensor(tensorName);
  }

  int32_t getTensorBytesPerComponent(char const* tensorName) const noexcept {
    return mImpl->getTensorBytesPerComponent(tensorName);
  }
  int32_t getTensorBytesPerComponent(char const* tensorName, int32_t profileIndex) const noexcept {
    return mImpl->getTensorBytesPerComponentV2(tensorName, profileIndex);
  }
  int32_t getTensorComponentsPerElement(char const* tensorName) const noexcept {
    return mImpl->getTensorComponentsPerElement(tensorName);
  }
  int32_t getTensorComponentsPerElement(char const* tensorName,
                                        int32_t profileIndex) const noexcept {
    return mImpl->getTensorComponentsPerElementV2(tensorName, profileIndex);
  }
  TensorFormat getTensorFormat(char const* tensorName) const noexcept {
    return mImpl->getTensorFormat(tensorName);
  }
  TensorFormat getTensorFormat(char const* tensorName, int32_t profileIndex) const noexcept {
    return mImpl->getTensorFormatV2(tensorName, profileIndex);
  }
  char const* getTensorFormatDesc(char const* tensorName) const noexcept {
    return mImpl->getTensorFormatDesc(tensorName);
  }
  char const* getTensorFormatDesc(char const* tensorName, int32_t profileIndex) const noexcept {
    return mImpl->getTensorFormatDescV2(tensorName, profileIndex);
  }
  int32_t getTensorVectorizedDim(char const* tensorName) const noexcept {
    return mImpl->getTensorVectorizedDim(tensorName);
  }
  int32_t getTensorVectorizedDim(char const* tensorName, int32_t profileIndex) const noexcept {
    return mImpl->getTensorVectorizedDimV2(tensorName, profileIndex);
  }

  Dims getProfileShape(char const* tensorName, int32_t profileIndex,
                       OptProfileSelector select) const noexcept {
    return mImpl->getProfileShape(tensorName, profileIndex, select);
  }
  int64_t const* getProfileTensorValuesV2(char const* tensorName, int32_t profileIndex,
                                          OptProfileSelector select) const noexcept {
    return mImpl->getProfileTensorValuesV2(tensorName, profileIndex, select);
  }

  // Sizes and budgets are bytes.
  int64_t getStreamableWeightsSize() const noexcept { return mImpl->getStreamableWeightsSize(); }
  bool setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept {
    return mImpl->setWeightStreamingBudgetV2(gpuMemoryBudget);
  }
  int64_t getWeightStreamingBudgetV2() const noexcept {
    return mImpl->getWeightStreamingBudgetV2();
  }
  int64_t getWeightStreamingAutomaticBudget() const noexcept {
    return mImpl->getWeightStreamingAutomaticBudget();
  }
  int64_t getWeightStreamingScratchMemorySize() const noexcept {
    return mImpl->getWeightStreamingScratchMemorySize();
  }
  int64_t getDeviceMemorySizeV2() const noexcept { return mImpl->getDeviceMemorySizeV2(); }
  int64_t getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept {
    return mImpl->getDeviceMemorySizeForProfileV2(profileIndex);
  }

 protected:
  apiv::VCudaEngine* mImpl;
};

}  // namespace nvinfer1

#endif  // TENSORRT_INTERFACE_ENGINE_H
