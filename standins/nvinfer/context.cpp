// Making a context, its profile, shapes and addresses.
#include "context.h"

#include "context_entry.h"

namespace standins {
namespace {

using Strategy = ExecutionContextAllocationStrategy;

uint64_t largest(const std::vector<uint64_t>& values) {
  uint64_t most = 0;
  for (uint64_t value : values) most = std::max(most, value);
  return most;
}

bool is_static(const Shape& shape) {
  for (int64_t extent : shape) {
    if (extent < 0) return false;
  }
  return true;
}

// Which dimension of an input leaves its profile; "" when none does.
std::string range_problem(const std::string& name, const Dims& dims, const ShapeRange& range) {
  if (dims.nbDims != static_cast<int32_t>(range.min.size())) {
    return name + ": rank " + std::to_string(dims.nbDims) + ", engine has " +
           std::to_string(range.min.size());
  }
  for (std::size_t i = 0; i < range.min.size(); ++i) {
    if (dims.d[i] >= range.min[i] && dims.d[i] <= range.max[i]) continue;
    return name + ": dimension " + std::to_string(i) + " is " + std::to_string(dims.d[i]) +
           ", the profile allows " + std::to_string(range.min[i]) + " to " +
           std::to_string(range.max[i]);
  }
  return "";
}

}  // namespace

bool check_device(const EngineCore& engine, const char* subject, const char* what) {
  const int current = cuda::current_device();
  if (current == engine.device || current < 0) return true;
  report_misuse(std::string(subject) + " of engine " + engine.plan.name + ": " + what +
                " with GPU " + std::to_string(current) + " current, the engine is on GPU " +
                std::to_string(engine.device));
  return false;
}

std::unique_ptr<IExecutionContext> make_execution_context(std::shared_ptr<EngineCore> engine,
                                                          ICudaEngine& owner, Strategy strategy) {
  return std::make_unique<ExecutionContext>(std::move(engine), owner, strategy);
}

ExecutionContext::ExecutionContext(std::shared_ptr<EngineCore> engine, ICudaEngine& owner,
                                   Strategy strategy)
    : state_(std::make_shared<ContextState>(std::move(engine))),
      owner_(owner),
      strategy_(strategy),
      tensors_(state_->engine->tensor_count()) {
  mImpl = this;
  EngineCore& core = *state_->engine;
  check_device(core, "IExecutionContext", "made");
  name_ = state_->name = core.plan.name;
  const auto require = [](cudaError_t error) {
    if (error != cudaSuccess) throw CudaFailure(error);
  };
  if (strategy_ == Strategy::kSTATIC) {
    require(state_->own_block.allocate(largest(core.activation_bytes)));
  } else if (strategy_ == Strategy::kON_PROFILE_CHANGE) {
    require(state_->own_block.allocate(core.activation_bytes[0]));
  }
  if (core.model) state_->request = std::make_unique<Model::Request>(*core.model);
  for (int i = 0; i < 4; ++i) state_->launches.push_back(std::make_unique<Launch>(*state_));
  shapes_.resize(core.program.values().size());
  offsets_.resize(shapes_.size());
  host_values_.resize(core.tensor_count());
  for (std::size_t i = 0; i < shapes_.size(); ++i) shapes_[i] = core.program.values()[i].shape;
  for (const auto& tensor : core.plan.tensors) has_shape_tensors_ |= tensor.is_shape_tensor;
  restart_shapes();

  const std::lock_guard<std::mutex> lock(core.mutex);
  if (core.plan.streamable_weights_bytes != 0 && core.streamed_weights.get() == nullptr) {
    const uint64_t all = core.plan.streamable_weights_bytes;
    require(core.streamed_weights.allocate(
        core.streaming_budget < 0 ? all : static_cast<uint64_t>(core.streaming_budget)));
  }
  ++core.live_contexts;
  ++live().total_contexts;
  const uint64_t now = ++live().contexts;
  uint64_t peak = live().peak_contexts;
  while (now > peak && !live().peak_contexts.compare_exchange_weak(peak, now)) {
  }
}

ExecutionContext::~ExecutionContext() noexcept {
  (void)count_call(Method::destroy_IExecutionContext, this);
  check_device(*state_->engine, "IExecutionContext", "destroyed");
  if (state_->pending != 0) {
    report_misuse("IExecutionContext " + name_ + ": destroyed with " +
                  std::to_string(state_->pending) + " launches pending");
    for (auto& launch : state_->launches) {
      if (launch->is_pending) launch->keep_alive = state_;
    }
  }
  forget_captured(*state_);
  const std::lock_guard<std::mutex> lock(state_->engine->mutex);
  if (--state_->engine->live_contexts == 0) state_->engine->streamed_weights.reset();
  --live().contexts;
}

void ExecutionContext::error(Method method, const std::string& text) const noexcept {
  state_->engine->runtime->error(method_name(method), text);
}

int ExecutionContext::find(Method method, char const* name) const noexcept {
  const int index = state_->engine->tensor_index(name);
  if (index < 0) {
    error(method, "API Usage Error (Given invalid tensor name: " +
                      std::string(name != nullptr ? name : "null") + ")");
  }
  return index;
}

// `stream`: where an edit that is itself stream work goes, after what is pending there.
void ExecutionContext::check_idle(Method method, const cudaStream_t* stream) const noexcept {
  const int pending = state_->pending;
  if (pending == 0 || (stream != nullptr && *stream == state_->pending_stream)) return;
  report_misuse("IExecutionContext " + name_ + ": " + method_name(method) + " while " +
                std::to_string(pending) + " of its launches " +
                (stream != nullptr ? "are pending on another stream" : "are pending"));
}

void ExecutionContext::restart_shapes() {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const PlanTensor& tensor = plan().tensors[i];
    tensors_[i].shape =
        tensor.is_input && is_static(tensor.shape) ? to_dims(tensor.shape) : Dims{-1, {}};
  }
  is_resolved_ = false;
}

bool ExecutionContext::setOptimizationProfileAsync(int32_t index, cudaStream_t stream) noexcept {
  constexpr Method kMethod = Method::IExecutionContext_setOptimizationProfileAsync;
  const Entry entry(*this, kMethod, stream);
  if (entry.fails()) return false;
  check_idle(kMethod, &stream);
  if (index < 0 || static_cast<std::size_t>(index) >= plan().profiles.size()) {
    error(kMethod, "API Usage Error (profile " + std::to_string(index) + " of " +
                       std::to_string(plan().profiles.size()) + ")");
    return false;
  }
  if (index == profile_) return true;
  if (strategy_ == Strategy::kON_PROFILE_CHANGE) {
    const cudaError_t failure = state_->own_block.allocate(
        state_->engine->activation_bytes[static_cast<std::size_t>(index)]);
    if (failure != cudaSuccess) {
      error(kMethod, cuda::describe(failure));
      return false;
    }
  }
  profile_ = index;
  restart_shapes();
  return true;
}

int32_t ExecutionContext::getOptimizationProfile() const noexcept {
  const Entry entry(*this, Method::IExecutionContext_getOptimizationProfile);
  return profile_;
}

bool ExecutionContext::setInputShape(char const* name, Dims const& dims) noexcept {
  constexpr Method kMethod = Method::IExecutionContext_setInputShape;
  const Entry entry(*this, kMethod);
  if (entry.fails()) return false;
  check_idle(kMethod, nullptr);
  const int index = find(kMethod, name);
  if (index < 0) return false;
  const PlanTensor& tensor = plan().tensors[static_cast<std::size_t>(index)];
  if (!tensor.is_input) {
    error(kMethod, "API Usage Error (" + tensor.name + " is an output)");
    return false;
  }
  const ShapeRange* const range =
      state_->engine->range_of(static_cast<std::size_t>(profile_), tensor.name, false);
  if (const std::string problem = range_problem(tensor.name, dims, *range); !problem.empty()) {
    error(kMethod, "API Usage Error (" + problem + ")");
    return false;
  }
  Dims& shape = tensors_[static_cast<std::size_t>(index)].shape;
  if (equal(shape, dims)) return true;
  shape = dims;
  is_resolved_ = false;
  return true;
}

bool ExecutionContext::set_address(Method method, char const* name, void* address,
                                   int mode) noexcept {
  check_idle(method, nullptr);
  const int index = find(method, name);
  if (index < 0) return false;
  const PlanTensor& tensor = plan().tensors[static_cast<std::size_t>(index)];
  if ((mode == 1 && !tensor.is_input) || (mode == 2 && tensor.is_input)) {
    error(method, "API Usage Error (" + tensor.name + " goes the other way)");
    return false;
  }
  TensorState& state = tensors_[static_cast<std::size_t>(index)];
  state.address = address;
  state.has_address = true;
  return true;
}

bool ExecutionContext::setTensorAddress(char const* name, void* address) noexcept {
  constexpr Method kMethod = Method::IExecutionContext_setTensorAddress;
  const Entry entry(*this, kMethod);
  return !entry.fails() && set_address(kMethod, name, address, 0);
}
bool ExecutionContext::setInputTensorAddress(char const* name, void const* address) noexcept {
  constexpr Method kMethod = Method::IExecutionContext_setInputTensorAddress;
  const Entry entry(*this, kMethod);
  return !entry.fails() && set_address(kMethod, name, const_cast<void*>(address), 1);
}
bool ExecutionContext::setOutputTensorAddress(char const* name, void* address) noexcept {
  constexpr Method kMethod = Method::IExecutionContext_setOutputTensorAddress;
  const Entry entry(*this, kMethod);
  return !entry.fails() && set_address(kMethod, name, address, 2);
}

}  // namespace standins
