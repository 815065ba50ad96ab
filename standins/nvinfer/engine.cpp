// Loading a plan: memory for its weights and constants, and the sizes that its profiles need.
#include "engine.h"

#include <algorithm>
#include <cstring>

#include "engine_object.h"
#include "launch.h"

namespace standins {
namespace {

void upload_constants(EngineCore& core, const char* blob) {
  uint64_t bytes = align_activation(core.plan.weights_bytes);
  std::vector<uint64_t> offsets;
  for (const auto& constant : core.plan.constants) {
    offsets.push_back(bytes);
    bytes += align_activation(constant.bytes);
  }
  if (const cudaError_t error = core.weights.allocate(bytes); error != cudaSuccess) {
    throw CudaFailure(error);
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto& constant = core.plan.constants[i];
    void* const address = static_cast<char*>(core.weights.get()) + offsets[i];
    core.constant_addresses.push_back(address);
    const cudaError_t error = cuda::copy_to_device(address, blob + constant.offset, constant.bytes);
    if (error != cudaSuccess) throw CudaFailure(error);
  }
}

// Scratch for the largest shapes of one profile.
uint64_t largest_scratch(const EngineCore& core, std::size_t profile) {
  std::vector<Dims> shapes(core.program.values().size());
  std::vector<const int64_t*> host_values(core.tensor_count());
  for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = core.program.values()[i].shape;
  for (std::size_t i = 0; i < core.tensor_count(); ++i) {
    const PlanTensor& tensor = core.plan.tensors[i];
    if (!tensor.is_input) continue;
    shapes[i] = to_dims(core.range_of(profile, tensor.name, false)->max);
    const ShapeRange* const values = core.range_of(profile, tensor.name, true);
    if (values != nullptr) host_values[i] = values->max.data();
  }
  std::string problem;
  if (!core.infer(shapes, host_values, problem)) throw PlanError("plan: " + problem);
  return core.scratch_bytes(shapes, nullptr);
}

}  // namespace

int EngineCore::tensor_index(const char* name) const {
  for (std::size_t i = 0; i < plan.tensors.size() && name != nullptr; ++i) {
    if (plan.tensors[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

const ShapeRange* EngineCore::range_of(std::size_t profile, const std::string& name,
                                       bool of_values) const {
  const auto& ranges = of_values ? plan.profiles[profile].values : plan.profiles[profile].shapes;
  const auto found = ranges.find(name);
  return found == ranges.end() ? nullptr : &found->second;
}

bool EngineCore::infer(std::vector<Dims>& shapes, const std::vector<const int64_t*>& host_values,
                       std::string& problem) const {
  return model ? model->infer(shapes, problem) : program.infer(shapes, host_values, problem);
}

uint64_t EngineCore::scratch_bytes(const std::vector<Dims>& shapes,
                                   std::vector<uint64_t>* offsets) const {
  const auto first = static_cast<std::size_t>(program.first_intermediate());
  uint64_t bytes = align_activation(plan.activation_bytes);
  for (std::size_t i = first; i < shapes.size(); ++i) {
    if (offsets != nullptr) (*offsets)[i] = bytes;
    bytes += align_activation(bytes_of(program.values()[i].dtype, shapes[i]));
  }
  return bytes;
}

std::unique_ptr<ICudaEngine> load_engine(std::shared_ptr<RuntimeCore> runtime, const void* blob,
                                         std::size_t size) {
  const int device = cuda::current_device();
  auto core = std::make_shared<EngineCore>(std::move(runtime), read_plan(blob, size), device);
  if (!core->plan.load_refusal.empty()) {
    core->runtime->log(ILogger::Severity::kERROR, core->plan.load_refusal);
    return nullptr;
  }
  if (core->plan.openvino.is_present) {
    if (!kFollowsWork) throw PlanError("plan: holds an OpenVINO model, which runs on the CPU only");
    core->model = Model::load(core->plan, blob);
  }
  upload_constants(*core, static_cast<const char*>(blob));
  for (std::size_t i = 0; i < core->plan.profiles.size(); ++i) {
    core->activation_bytes.push_back(largest_scratch(*core, i));
  }
  core->runtime->log(ILogger::Severity::kVERBOSE,
                     "Loaded engine size: " + std::to_string(size) + " bytes (stand-in)");
  return std::make_unique<Engine>(std::move(core));
}

}  // namespace standins
