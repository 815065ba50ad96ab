#include "engine_object.h"

#include <cstdlib>

#include "context.h"

namespace standins {
namespace {

class RuntimeConfig final : public IRuntimeConfig, private UnsimulatedRuntimeConfig {
 public:
  RuntimeConfig() {
    mImpl = this;
    ++live().others;
  }
  ~RuntimeConfig() noexcept override {
    (void)count_call(Method::destroy_IRuntimeConfig, this);
    --live().others;
  }

 private:
  IRuntimeConfig* getPImpl() noexcept override { return this; }
  void setExecutionContextAllocationStrategy(
      ExecutionContextAllocationStrategy strategy) noexcept override {
    (void)count_call(Method::IRuntimeConfig_setExecutionContextAllocationStrategy, this);
    strategy_ = strategy;
  }
  ExecutionContextAllocationStrategy getExecutionContextAllocationStrategy()
      const noexcept override {
    (void)count_call(Method::IRuntimeConfig_getExecutionContextAllocationStrategy, this);
    return strategy_;
  }
  ExecutionContextAllocationStrategy strategy_ = ExecutionContextAllocationStrategy::kSTATIC;
};

}  // namespace

Engine::Engine(std::shared_ptr<EngineCore> core) : core_(std::move(core)) {
  mImpl = this;
  ++core_->runtime->live_engines;
  ++live().engines;
  ++live().total_engines;
}

Engine::~Engine() noexcept {
  (void)count_call(Method::destroy_ICudaEngine, this);
  const std::lock_guard<std::mutex> lock(core_->mutex);
  if (core_->live_contexts != 0) {
    report_misuse("ICudaEngine " + core_->plan.name + ": destroyed before " +
                  std::to_string(core_->live_contexts) + " of its contexts");
  }
  check_device(*core_, "ICudaEngine", "destroyed");
  --core_->runtime->live_engines;
  --live().engines;
}

char const* Engine::getName() const noexcept {
  (void)count_call(Method::ICudaEngine_getName, this);
  return core_->plan.name.c_str();
}
int32_t Engine::getNbLayers() const noexcept {
  (void)count_call(Method::ICudaEngine_getNbLayers, this);
  return static_cast<int32_t>(core_->plan.nodes.size());
}
bool Engine::isRefittable() const noexcept {
  (void)count_call(Method::ICudaEngine_isRefittable, this);
  return false;
}
int32_t Engine::getNbOptimizationProfiles() const noexcept {
  if (count_call(Method::ICudaEngine_getNbOptimizationProfiles, this)) return 0;
  return static_cast<int32_t>(core_->plan.profiles.size());
}
EngineCapability Engine::getEngineCapability() const noexcept {
  (void)count_call(Method::ICudaEngine_getEngineCapability, this);
  return EngineCapability::kSTANDARD;
}
TacticSources Engine::getTacticSources() const noexcept {
  (void)count_call(Method::ICudaEngine_getTacticSources, this);
  return 0;
}
ProfilingVerbosity Engine::getProfilingVerbosity() const noexcept {
  (void)count_call(Method::ICudaEngine_getProfilingVerbosity, this);
  return ProfilingVerbosity::kLAYER_NAMES_ONLY;
}
HardwareCompatibilityLevel Engine::getHardwareCompatibilityLevel() const noexcept {
  (void)count_call(Method::ICudaEngine_getHardwareCompatibilityLevel, this);
  return HardwareCompatibilityLevel::kNONE;
}
int32_t Engine::getNbAuxStreams() const noexcept {
  (void)count_call(Method::ICudaEngine_getNbAuxStreams, this);
  return 0;
}
int64_t Engine::getEngineStat(EngineStat stat) const noexcept {
  (void)count_call(Method::ICudaEngine_getEngineStat, this);
  return stat == EngineStat::kTOTAL_WEIGHTS_SIZE
             ? static_cast<int64_t>(core_->plan.weights_bytes +
                                    core_->plan.streamable_weights_bytes)
             : 0;
}

IExecutionContext* Engine::make_context(Method method,
                                        ExecutionContextAllocationStrategy strategy) noexcept try {
  if (count_call(method, this)) {
    core_->runtime->error(method_name(method), "Internal Error (failure injected by the stand-in)");
    return nullptr;
  }
  return make_execution_context(core_, *this, strategy).release();
} catch (const std::exception& error) {
  core_->runtime->error(method_name(method), error.what());
  return nullptr;
}

IExecutionContext* Engine::createExecutionContext(
    ExecutionContextAllocationStrategy strategy) noexcept {
  return make_context(Method::ICudaEngine_createExecutionContext, strategy);
}
IExecutionContext* Engine::createExecutionContextWithRuntimeConfig(
    IRuntimeConfig* config) noexcept {
  return make_context(Method::ICudaEngine_createExecutionContextWithRuntimeConfig,
                      config != nullptr ? config->getExecutionContextAllocationStrategy()
                                        : ExecutionContextAllocationStrategy::kSTATIC);
}
IRuntimeConfig* Engine::createRuntimeConfig() noexcept {
  if (count_call(Method::ICudaEngine_createRuntimeConfig, this)) return nullptr;
  return new (std::nothrow) RuntimeConfig;
}

// The real library dereferences state that such an engine does not have; here it ends with a name.
void Engine::require_streaming(Method method) const noexcept {
  if (core_->plan.streamable_weights_bytes != 0) return;
  std::fprintf(stderr, "TensorRT stand-in: %s called on engine %s, which streams no weights\n",
               method_name(method), core_->plan.name.c_str());
  std::abort();
}

int64_t Engine::getStreamableWeightsSize() const noexcept {
  (void)count_call(Method::ICudaEngine_getStreamableWeightsSize, this);
  return static_cast<int64_t>(core_->plan.streamable_weights_bytes);
}

bool Engine::setWeightStreamingBudgetV2(int64_t budget) noexcept {
  constexpr Method kMethod = Method::ICudaEngine_setWeightStreamingBudgetV2;
  const bool fails = count_call(kMethod, this);
  require_streaming(kMethod);
  const std::lock_guard<std::mutex> lock(core_->mutex);
  if (core_->live_contexts != 0) {
    std::fprintf(stderr,
                 "TensorRT stand-in: %s called on engine %s while %d of its contexts exist; the "
                 "budget must be set before the first\n",
                 method_name(kMethod), core_->plan.name.c_str(), core_->live_contexts);
    std::abort();
  }
  if (fails || budget < 0) {
    core_->runtime->error(method_name(kMethod),
                          fails
                              ? "Internal Error (failure injected by the stand-in)"
                              : "API Usage Error (negative budget " + std::to_string(budget) + ")");
    return false;
  }
  const auto streamable = static_cast<int64_t>(core_->plan.streamable_weights_bytes);
  if (budget > streamable) {
    report_misuse("ICudaEngine " + core_->plan.name + ": weight streaming budget " +
                  std::to_string(budget) + " is above the streamable " +
                  std::to_string(streamable) + " bytes");
  }
  core_->streaming_budget = std::min(budget, streamable);
  return true;
}

int64_t Engine::getWeightStreamingBudgetV2() const noexcept {
  (void)count_call(Method::ICudaEngine_getWeightStreamingBudgetV2, this);
  require_streaming(Method::ICudaEngine_getWeightStreamingBudgetV2);
  const std::lock_guard<std::mutex> lock(core_->mutex);
  return core_->streaming_budget < 0 ? static_cast<int64_t>(core_->plan.streamable_weights_bytes)
                                     : core_->streaming_budget;
}

// Half of the weights, in place of a rule about free memory.
int64_t Engine::getWeightStreamingAutomaticBudget() const noexcept {
  (void)count_call(Method::ICudaEngine_getWeightStreamingAutomaticBudget, this);
  require_streaming(Method::ICudaEngine_getWeightStreamingAutomaticBudget);
  return static_cast<int64_t>(core_->plan.streamable_weights_bytes / 2);
}
int64_t Engine::getWeightStreamingScratchMemorySize() const noexcept {
  (void)count_call(Method::ICudaEngine_getWeightStreamingScratchMemorySize, this);
  require_streaming(Method::ICudaEngine_getWeightStreamingScratchMemorySize);
  return 0;
}

int64_t Engine::getDeviceMemorySizeV2() const noexcept {
  (void)count_call(Method::ICudaEngine_getDeviceMemorySizeV2, this);
  uint64_t largest = 0;
  for (uint64_t bytes : core_->activation_bytes) largest = std::max(largest, bytes);
  return static_cast<int64_t>(largest);
}
int64_t Engine::getDeviceMemorySizeForProfileV2(int32_t profile) const noexcept {
  constexpr Method kMethod = Method::ICudaEngine_getDeviceMemorySizeForProfileV2;
  (void)count_call(kMethod, this);
  if (!has_profile(kMethod, profile)) return 0;
  return static_cast<int64_t>(core_->activation_bytes[static_cast<std::size_t>(profile)]);
}

}  // namespace standins
