// IExecutionContext: shapes, addresses, activation memory and launches of one engine.
#ifndef STANDINS_NVINFER_CONTEXT_H_
#define STANDINS_NVINFER_CONTEXT_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "launch.h"

namespace standins {

// Throws PlanError or CudaFailure.
std::unique_ptr<IExecutionContext> make_execution_context(
    std::shared_ptr<EngineCore> engine, ICudaEngine& owner,
    ExecutionContextAllocationStrategy strategy);

// False, and misuse, when the engine's GPU is not current.
bool check_device(const EngineCore& engine, const char* subject, const char* what);

class ExecutionContext final : public IExecutionContext, private UnsimulatedExecutionContext {
 public:
  ExecutionContext(std::shared_ptr<EngineCore> engine, ICudaEngine& owner,
                   ExecutionContextAllocationStrategy strategy);
  ~ExecutionContext() noexcept override;

 private:
  class Entry;

  IExecutionContext* getPImpl() noexcept override { return this; }
  ICudaEngine const& getEngine() const noexcept override;
  void setName(char const* name) noexcept override;
  char const* getName() const noexcept override;
  void setErrorRecorder(IErrorRecorder* recorder) noexcept override;
  IErrorRecorder* getErrorRecorder() const noexcept override;

  bool setOptimizationProfileAsync(int32_t index, cudaStream_t stream) noexcept override;
  int32_t getOptimizationProfile() const noexcept override;
  bool setInputShape(char const* name, Dims const& dims) noexcept override;
  Dims getTensorShape(char const* name) const noexcept override;
  Dims getTensorStrides(char const* name) const noexcept override;
  bool allInputDimensionsSpecified() const noexcept override;
  int32_t inferShapes(int32_t capacity, char const** names) noexcept override;
  int64_t getMaxOutputSize(char const* name) const noexcept override;

  bool setTensorAddress(char const* name, void* address) noexcept override;
  void const* getTensorAddress(char const* name) const noexcept override;
  bool setInputTensorAddress(char const* name, void const* address) noexcept override;
  bool setOutputTensorAddress(char const* name, void* address) noexcept override;
  void* getOutputTensorAddress(char const* name) const noexcept override;

  bool enqueueV3(cudaStream_t stream) noexcept override;
  std::size_t updateDeviceMemorySizeForShapes() noexcept override;
  void setDeviceMemoryV2(void* memory, int64_t bytes) noexcept override;
  void setPersistentCacheLimit(std::size_t bytes) noexcept override;
  std::size_t getPersistentCacheLimit() const noexcept override;
  bool setNvtxVerbosity(ProfilingVerbosity verbosity) noexcept override;
  ProfilingVerbosity getNvtxVerbosity() const noexcept override;

  struct TensorState {
    Dims shape{-1, {}};
    void* address = nullptr;
    bool has_address = false;
  };

  const Plan& plan() const { return state_->engine->plan; }
  void error(Method method, const std::string& text) const noexcept;
  int find(Method method, char const* name) const noexcept;
  void check_idle(Method method, const cudaStream_t* stream) const noexcept;
  bool set_address(Method method, char const* name, void* address, int mode) noexcept;
  // Static shapes of the current profile are set from the start; dynamic ones must be given again.
  void restart_shapes();
  bool values_fit(std::size_t index, const int64_t* values) const noexcept;
  // Inputs without shape or values; the first of them is named by `names`.
  int unset_inputs(int capacity, char const** names) const noexcept;
  // True when the shapes of all values follow from the inputs.
  bool resolve(Method method) const noexcept;

  // Each is one reason for which enqueueV3 refuses; "" when there is none.
  std::string shape_problem() const;
  std::string address_problem() const;
  std::string memory_problem(uint64_t needed_bytes) const;
  std::string enqueue_problem(cudaStream_t stream);
  void fill(Launch& launch) const;

  const std::shared_ptr<ContextState> state_;
  ICudaEngine& owner_;
  const ExecutionContextAllocationStrategy strategy_;
  std::string name_;
  std::vector<TensorState> tensors_;
  int profile_ = 0;
  void* block_ = nullptr;  // user managed, borrowed
  int64_t block_bytes_ = 0;
  std::size_t cache_limit_ = 0;
  ProfilingVerbosity nvtx_verbosity_ = ProfilingVerbosity::kLAYER_NAMES_ONLY;

  // Follow from the above; computed when asked for.
  mutable std::vector<Dims> shapes_;
  mutable std::vector<uint64_t> offsets_;
  mutable std::vector<const int64_t*> host_values_;
  mutable uint64_t shapes_version_ = 1;
  mutable uint64_t scratch_bytes_ = 0;
  mutable bool is_resolved_ = false;
  bool has_shape_tensors_ = false;

  mutable std::atomic<uint64_t> inside_{0};  // thread that is in a method
};

}  // namespace standins

#endif  // STANDINS_NVINFER_CONTEXT_H_
