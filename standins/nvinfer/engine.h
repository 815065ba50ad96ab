// ICudaEngine: a loaded plan on one GPU.
#ifndef STANDINS_NVINFER_ENGINE_H_
#define STANDINS_NVINFER_ENGINE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_link.h"
#include "model_link.h"
#include "program.h"
#include "runtime.h"
#include "standins/plan.h"

namespace standins {

// What contexts share with their engine, and what outlives it when the order of destruction is
// wrong.
struct EngineCore {
  EngineCore(std::shared_ptr<RuntimeCore> owner, Plan read, int current_device)
      : runtime(std::move(owner)), plan(std::move(read)), program(plan), device(current_device) {}

  const std::shared_ptr<RuntimeCore> runtime;
  const Plan plan;
  const Program program;
  const int device;
  std::unique_ptr<Model> model;  // plans that hold an OpenVINO model

  cuda::DeviceBlock weights;
  std::vector<void*> constant_addresses;   // on the device, one for each constant
  std::vector<uint64_t> activation_bytes;  // largest of each profile

  std::mutex mutex;  // guards the members below
  cuda::DeviceBlock streamed_weights;
  int live_contexts = 0;
  int64_t streaming_budget = -1;  // -1: none set

  int tensor_index(const char* name) const;  // -1: unknown
  std::size_t tensor_count() const { return plan.tensors.size(); }
  // The range a profile gives an input; null when there is none.
  const ShapeRange* range_of(std::size_t profile, const std::string& name, bool of_values) const;
  // As Program::infer, for models too.
  bool infer(std::vector<Dims>& shapes, const std::vector<const int64_t*>& host_values,
             std::string& problem) const;
  // Bytes of scratch for known shapes; fills `offsets` of intermediate values when given.
  uint64_t scratch_bytes(const std::vector<Dims>& shapes, std::vector<uint64_t>* offsets) const;
};

// Throws PlanError, std::bad_alloc or CudaFailure.
std::unique_ptr<ICudaEngine> load_engine(std::shared_ptr<RuntimeCore> runtime, const void* blob,
                                         std::size_t size);

class CudaFailure : public std::runtime_error {
 public:
  explicit CudaFailure(cudaError_t error) : std::runtime_error(cuda::describe(error)) {}
};

inline constexpr uint64_t kActivationAlignment = 256;
inline uint64_t align_activation(uint64_t bytes) {
  return (bytes + kActivationAlignment - 1) / kActivationAlignment * kActivationAlignment;
}

}  // namespace standins

#endif  // STANDINS_NVINFER_ENGINE_H_
