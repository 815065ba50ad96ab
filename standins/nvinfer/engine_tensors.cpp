// What an engine says of its tensors. A wrong name or number is a log line and an empty answer.
#include <algorithm>

#include "engine_object.h"

namespace standins {

const PlanTensor* Engine::find(Method method, char const* name) const noexcept {
  const int index = core_->tensor_index(name);
  if (index >= 0) return &core_->plan.tensors[static_cast<std::size_t>(index)];
  core_->runtime->error(method_name(method), "API Usage Error (Given invalid tensor name: " +
                                                 std::string(name != nullptr ? name : "null") +
                                                 ")");
  return nullptr;
}

bool Engine::has_profile(Method method, int32_t profile) const noexcept {
  if (profile >= 0 && static_cast<std::size_t>(profile) < core_->plan.profiles.size()) return true;
  core_->runtime->error(method_name(method), "API Usage Error (profile " + std::to_string(profile) +
                                                 " of " +
                                                 std::to_string(core_->plan.profiles.size()) + ")");
  return false;
}

int32_t Engine::getNbIOTensors() const noexcept {
  if (count_call(Method::ICudaEngine_getNbIOTensors, this)) return 0;
  return static_cast<int32_t>(core_->tensor_count());
}

char const* Engine::getIOTensorName(int32_t index) const noexcept {
  if (count_call(Method::ICudaEngine_getIOTensorName, this)) return nullptr;
  if (index < 0 || static_cast<std::size_t>(index) >= core_->tensor_count()) {
    core_->runtime->error("ICudaEngine::getIOTensorName",
                          "API Usage Error (index " + std::to_string(index) + ")");
    return nullptr;
  }
  return core_->plan.tensors[static_cast<std::size_t>(index)].name.c_str();
}

Dims Engine::getTensorShape(char const* name) const noexcept {
  constexpr Method kMethod = Method::ICudaEngine_getTensorShape;
  const bool fails = count_call(kMethod, this);
  const PlanTensor* const tensor = find(kMethod, name);
  return tensor == nullptr || fails ? Dims{-1, {}} : to_dims(tensor->shape);
}

// The bodies below differ in method, wrong answer and right answer only.
#define STANDIN_ANSWER(Method_, wrong, right)           \
  const bool fails = count_call(Method_, this);         \
  const PlanTensor* const tensor = find(Method_, name); \
  return tensor == nullptr || fails ? (wrong) : (right)

DataType Engine::getTensorDataType(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getTensorDataType, DataType::kFLOAT,
                 static_cast<DataType>(tensor->dtype));
}
TensorLocation Engine::getTensorLocation(char const* name) const noexcept {
  STANDIN_ANSWER(
      Method::ICudaEngine_getTensorLocation, TensorLocation::kDEVICE,
      tensor->on_host || tensor->is_shape_tensor ? TensorLocation::kHOST : TensorLocation::kDEVICE);
}
bool Engine::isShapeInferenceIO(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_isShapeInferenceIO, false, tensor->is_shape_tensor);
}
TensorIOMode Engine::getTensorIOMode(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getTensorIOMode, TensorIOMode::kNONE,
                 tensor->is_input ? TensorIOMode::kINPUT : TensorIOMode::kOUTPUT);
}
char const* Engine::getAliasedInputTensor(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getAliasedInputTensor, nullptr,
                 tensor->aliased_input.empty() ? nullptr : tensor->aliased_input.c_str());
}
bool Engine::isDebugTensor(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_isDebugTensor, false, false);
}
int32_t Engine::getTensorBytesPerComponent(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getTensorBytesPerComponent, -1,
                 tensor->format == 0 ? -1 : static_cast<int32_t>(dtype_bytes(tensor->dtype, 1)));
}
int32_t Engine::getTensorBytesPerComponentV2(char const* name, int32_t profile) const noexcept {
  if (!has_profile(Method::ICudaEngine_getTensorBytesPerComponentV2, profile)) return -1;
  STANDIN_ANSWER(Method::ICudaEngine_getTensorBytesPerComponentV2, -1,
                 tensor->format == 0 ? -1 : static_cast<int32_t>(dtype_bytes(tensor->dtype, 1)));
}
int32_t Engine::getTensorComponentsPerElement(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getTensorComponentsPerElement, -1,
                 tensor->format == 0 ? -1 : tensor->components);
}
int32_t Engine::getTensorComponentsPerElementV2(char const* name, int32_t profile) const noexcept {
  if (!has_profile(Method::ICudaEngine_getTensorComponentsPerElementV2, profile)) return -1;
  STANDIN_ANSWER(Method::ICudaEngine_getTensorComponentsPerElementV2, -1,
                 tensor->format == 0 ? -1 : tensor->components);
}
TensorFormat Engine::getTensorFormat(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getTensorFormat, TensorFormat::kLINEAR,
                 static_cast<TensorFormat>(tensor->format));
}
TensorFormat Engine::getTensorFormatV2(char const* name, int32_t profile) const noexcept {
  if (!has_profile(Method::ICudaEngine_getTensorFormatV2, profile)) return TensorFormat::kLINEAR;
  STANDIN_ANSWER(Method::ICudaEngine_getTensorFormatV2, TensorFormat::kLINEAR,
                 static_cast<TensorFormat>(tensor->format));
}
char const* Engine::getTensorFormatDesc(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getTensorFormatDesc, "",
                 tensor->format == 0 ? "Row major linear format" : "Vectorized format");
}
char const* Engine::getTensorFormatDescV2(char const* name, int32_t profile) const noexcept {
  if (!has_profile(Method::ICudaEngine_getTensorFormatDescV2, profile)) return "";
  STANDIN_ANSWER(Method::ICudaEngine_getTensorFormatDescV2, "",
                 tensor->format == 0 ? "Row major linear format" : "Vectorized format");
}
int32_t Engine::getTensorVectorizedDim(char const* name) const noexcept {
  STANDIN_ANSWER(Method::ICudaEngine_getTensorVectorizedDim, -1, tensor->vectorized_dim);
}
int32_t Engine::getTensorVectorizedDimV2(char const* name, int32_t profile) const noexcept {
  if (!has_profile(Method::ICudaEngine_getTensorVectorizedDimV2, profile)) return -1;
  STANDIN_ANSWER(Method::ICudaEngine_getTensorVectorizedDimV2, -1, tensor->vectorized_dim);
}
#undef STANDIN_ANSWER

Dims Engine::getProfileShape(char const* name, int32_t profile,
                             OptProfileSelector select) const noexcept {
  constexpr Method kMethod = Method::ICudaEngine_getProfileShape;
  const bool fails = count_call(kMethod, this);
  const PlanTensor* const tensor = find(kMethod, name);
  if (tensor == nullptr || fails || !has_profile(kMethod, profile)) return Dims{-1, {}};
  const ShapeRange* const range =
      core_->range_of(static_cast<std::size_t>(profile), tensor->name, false);
  if (range == nullptr) {
    core_->runtime->error(method_name(kMethod),
                          "API Usage Error (" + tensor->name + " is an output)");
    return Dims{-1, {}};
  }
  switch (select) {
    case OptProfileSelector::kMIN:
      return to_dims(range->min);
    case OptProfileSelector::kOPT:
      return to_dims(range->opt);
    case OptProfileSelector::kMAX:
      break;
  }
  return to_dims(range->max);
}

int64_t const* Engine::getProfileTensorValuesV2(char const* name, int32_t profile,
                                                OptProfileSelector select) const noexcept {
  constexpr Method kMethod = Method::ICudaEngine_getProfileTensorValuesV2;
  (void)count_call(kMethod, this);
  const PlanTensor* const tensor = find(kMethod, name);
  if (tensor == nullptr || !has_profile(kMethod, profile)) return nullptr;
  const ShapeRange* const range =
      core_->range_of(static_cast<std::size_t>(profile), tensor->name, true);
  if (range == nullptr) return nullptr;
  const Shape* const values[] = {&range->min, &range->opt, &range->max};
  return values[static_cast<std::size_t>(select)]->data();
}

}  // namespace standins
