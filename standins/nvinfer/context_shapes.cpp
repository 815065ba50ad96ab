// Inferring shapes, and what a context says of itself.
#include "context.h"
#include "context_entry.h"

namespace standins {

// Values of a shape tensor against the profile's range for them.
bool ExecutionContext::values_fit(std::size_t index, const int64_t* values) const noexcept {
  const ShapeRange* const range = state_->engine->range_of(static_cast<std::size_t>(profile_),
                                                           plan().tensors[index].name, true);
  if (range == nullptr) return true;
  for (std::size_t i = 0; i < range->min.size(); ++i) {
    if (values[i] < range->min[i] || values[i] > range->max[i]) return false;
  }
  return true;
}

int ExecutionContext::unset_inputs(int capacity, char const** names) const noexcept {
  int count = 0;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const PlanTensor& tensor = plan().tensors[i];
    if (!tensor.is_input) continue;
    const bool lacks_values = tensor.is_shape_tensor && tensors_[i].address == nullptr;
    if (tensors_[i].shape.nbDims >= 0 && !lacks_values) continue;
    if (count < capacity && names != nullptr) names[count] = tensor.name.c_str();
    ++count;
  }
  return count;
}

bool ExecutionContext::resolve(Method method) const noexcept try {
  // A shape tensor's values can change behind our back.
  if (is_resolved_ && !has_shape_tensors_) return true;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const PlanTensor& tensor = plan().tensors[i];
    if (!tensor.is_input) continue;
    shapes_[i] = tensors_[i].shape;
    if (!tensor.is_shape_tensor) continue;
    host_values_[i] = static_cast<const int64_t*>(tensors_[i].address);
    if (!values_fit(i, host_values_[i])) {
      error(method, "API Usage Error (values of " + tensor.name + " leave the profile)");
      return false;
    }
  }
  std::string problem;
  if (!state_->engine->infer(shapes_, host_values_, problem)) {
    error(method, "API Usage Error (" + problem + ")");
    return false;
  }
  scratch_bytes_ = state_->engine->scratch_bytes(shapes_, &offsets_);
  ++shapes_version_;
  is_resolved_ = true;
  return true;
} catch (const std::exception& failure) {
  error(method, failure.what());
  return false;
}

int32_t ExecutionContext::inferShapes(int32_t capacity, char const** names) noexcept {
  constexpr Method kMethod = Method::IExecutionContext_inferShapes;
  const Entry entry(*this, kMethod);
  if (entry.fails()) return -1;
  check_idle(kMethod, nullptr);
  if (const int unset = unset_inputs(capacity, names); unset > 0) return unset;
  if (!resolve(kMethod)) return -1;
  int count = 0;
  for (const auto& tensor : plan().tensors) {
    if (!tensor.data_dependent) continue;
    if (count < capacity && names != nullptr) names[count] = tensor.name.c_str();
    ++count;
  }
  return count;
}

Dims ExecutionContext::getTensorShape(char const* name) const noexcept {
  constexpr Method kMethod = Method::IExecutionContext_getTensorShape;
  const Entry entry(*this, kMethod);
  const int found = find(kMethod, name);
  if (entry.fails() || found < 0) return Dims{-1, {}};
  const auto index = static_cast<std::size_t>(found);
  const PlanTensor& tensor = plan().tensors[index];
  if (tensor.is_input) {
    return tensors_[index].shape.nbDims >= 0 ? tensors_[index].shape : to_dims(tensor.shape);
  }
  if (tensor.data_dependent || unset_inputs(0, nullptr) > 0) return to_dims(tensor.shape);
  return resolve(kMethod) ? shapes_[index] : Dims{-1, {}};
}

Dims ExecutionContext::getTensorStrides(char const* name) const noexcept {
  constexpr Method kMethod = Method::IExecutionContext_getTensorStrides;
  const Entry entry(*this, kMethod);
  const int found = find(kMethod, name);
  if (found < 0 || unset_inputs(0, nullptr) > 0 || !resolve(kMethod)) return Dims{-1, {}};
  Dims strides = shapes_[static_cast<std::size_t>(found)];
  int64_t stride = 1;
  for (int i = strides.nbDims - 1; i >= 0; --i) {
    const int64_t extent = strides.d[i];
    strides.d[i] = stride;
    stride *= extent;
  }
  return strides;
}

bool ExecutionContext::allInputDimensionsSpecified() const noexcept {
  const Entry entry(*this, Method::IExecutionContext_allInputDimensionsSpecified);
  return unset_inputs(0, nullptr) == 0;
}

int64_t ExecutionContext::getMaxOutputSize(char const* name) const noexcept {
  constexpr Method kMethod = Method::IExecutionContext_getMaxOutputSize;
  const Entry entry(*this, kMethod);
  const int found = find(kMethod, name);
  if (found < 0 || unset_inputs(0, nullptr) > 0 || !resolve(kMethod)) return -1;
  const auto index = static_cast<std::size_t>(found);
  return static_cast<int64_t>(bytes_of(plan().tensors[index].dtype, shapes_[index]));
}

void const* ExecutionContext::getTensorAddress(char const* name) const noexcept {
  constexpr Method kMethod = Method::IExecutionContext_getTensorAddress;
  const Entry entry(*this, kMethod);
  const int index = find(kMethod, name);
  return index < 0 ? nullptr : tensors_[static_cast<std::size_t>(index)].address;
}
void* ExecutionContext::getOutputTensorAddress(char const* name) const noexcept {
  constexpr Method kMethod = Method::IExecutionContext_getOutputTensorAddress;
  const Entry entry(*this, kMethod);
  const int index = find(kMethod, name);
  return index < 0 ? nullptr : tensors_[static_cast<std::size_t>(index)].address;
}

ICudaEngine const& ExecutionContext::getEngine() const noexcept {
  const Entry entry(*this, Method::IExecutionContext_getEngine);
  return owner_;
}
void ExecutionContext::setName(char const* name) noexcept {
  const Entry entry(*this, Method::IExecutionContext_setName);
  name_ = state_->name = name != nullptr ? name : "";
}
char const* ExecutionContext::getName() const noexcept {
  const Entry entry(*this, Method::IExecutionContext_getName);
  return name_.c_str();
}
void ExecutionContext::setErrorRecorder(IErrorRecorder* recorder) noexcept {
  const Entry entry(*this, Method::IExecutionContext_setErrorRecorder);
  if (recorder != nullptr) abort_unsimulated("IExecutionContext::setErrorRecorder");
}
IErrorRecorder* ExecutionContext::getErrorRecorder() const noexcept {
  const Entry entry(*this, Method::IExecutionContext_getErrorRecorder);
  return nullptr;
}
void ExecutionContext::setPersistentCacheLimit(std::size_t bytes) noexcept {
  const Entry entry(*this, Method::IExecutionContext_setPersistentCacheLimit);
  cache_limit_ = bytes;
}
std::size_t ExecutionContext::getPersistentCacheLimit() const noexcept {
  const Entry entry(*this, Method::IExecutionContext_getPersistentCacheLimit);
  return cache_limit_;
}
bool ExecutionContext::setNvtxVerbosity(ProfilingVerbosity verbosity) noexcept {
  const Entry entry(*this, Method::IExecutionContext_setNvtxVerbosity);
  nvtx_verbosity_ = verbosity;
  return true;
}
ProfilingVerbosity ExecutionContext::getNvtxVerbosity() const noexcept {
  const Entry entry(*this, Method::IExecutionContext_getNvtxVerbosity);
  return nvtx_verbosity_;
}

}  // namespace standins
