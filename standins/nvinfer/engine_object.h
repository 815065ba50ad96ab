// The engine as its caller sees it.
#ifndef STANDINS_NVINFER_ENGINE_OBJECT_H_
#define STANDINS_NVINFER_ENGINE_OBJECT_H_

#include "engine.h"

namespace standins {

class Engine final : public ICudaEngine, private UnsimulatedCudaEngine {
 public:
  explicit Engine(std::shared_ptr<EngineCore> core);
  ~Engine() noexcept override;

 private:
  ICudaEngine* getPImpl() noexcept override { return this; }
  char const* getName() const noexcept override;
  int32_t getNbLayers() const noexcept override;
  bool isRefittable() const noexcept override;
  int32_t getNbOptimizationProfiles() const noexcept override;
  EngineCapability getEngineCapability() const noexcept override;
  TacticSources getTacticSources() const noexcept override;
  ProfilingVerbosity getProfilingVerbosity() const noexcept override;
  HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept override;
  int32_t getNbAuxStreams() const noexcept override;
  int64_t getEngineStat(EngineStat stat) const noexcept override;

  IExecutionContext* createExecutionContext(
      ExecutionContextAllocationStrategy strategy) noexcept override;
  IExecutionContext* createExecutionContextWithRuntimeConfig(
      IRuntimeConfig* config) noexcept override;
  IRuntimeConfig* createRuntimeConfig() noexcept override;

  int32_t getNbIOTensors() const noexcept override;
  char const* getIOTensorName(int32_t index) const noexcept override;
  Dims getTensorShape(char const* name) const noexcept override;
  DataType getTensorDataType(char const* name) const noexcept override;
  TensorLocation getTensorLocation(char const* name) const noexcept override;
  bool isShapeInferenceIO(char const* name) const noexcept override;
  TensorIOMode getTensorIOMode(char const* name) const noexcept override;
  char const* getAliasedInputTensor(char const* name) const noexcept override;
  bool isDebugTensor(char const* name) const noexcept override;
  int32_t getTensorBytesPerComponent(char const* name) const noexcept override;
  int32_t getTensorBytesPerComponentV2(char const* name, int32_t profile) const noexcept override;
  int32_t getTensorComponentsPerElement(char const* name) const noexcept override;
  int32_t getTensorComponentsPerElementV2(char const* name,
                                          int32_t profile) const noexcept override;
  TensorFormat getTensorFormat(char const* name) const noexcept override;
  TensorFormat getTensorFormatV2(char const* name, int32_t profile) const noexcept override;
  char const* getTensorFormatDesc(char const* name) const noexcept override;
  char const* getTensorFormatDescV2(char const* name, int32_t profile) const noexcept override;
  int32_t getTensorVectorizedDim(char const* name) const noexcept override;
  int32_t getTensorVectorizedDimV2(char const* name, int32_t profile) const noexcept override;
  Dims getProfileShape(char const* name, int32_t profile,
                       OptProfileSelector select) const noexcept override;
  int64_t const* getProfileTensorValuesV2(char const* name, int32_t profile,
                                          OptProfileSelector select) const noexcept override;

  int64_t getStreamableWeightsSize() const noexcept override;
  bool setWeightStreamingBudgetV2(int64_t budget) noexcept override;
  int64_t getWeightStreamingBudgetV2() const noexcept override;
  int64_t getWeightStreamingAutomaticBudget() const noexcept override;
  int64_t getWeightStreamingScratchMemorySize() const noexcept override;
  int64_t getDeviceMemorySizeV2() const noexcept override;
  int64_t getDeviceMemorySizeForProfileV2(int32_t profile) const noexcept override;

  // The tensor asked for, or null after a log line.
  const PlanTensor* find(Method method, char const* name) const noexcept;
  bool has_profile(Method method, int32_t profile) const noexcept;
  void require_streaming(Method method) const noexcept;
  IExecutionContext* make_context(Method method,
                                  ExecutionContextAllocationStrategy strategy) noexcept;

  std::shared_ptr<EngineCore> core_;
};

}  // namespace standins

#endif  // STANDINS_NVINFER_ENGINE_OBJECT_H_
