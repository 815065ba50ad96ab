#include "arguments.h"

#include "base/dtype_name.h"
#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Span;

namespace {

const char* direction_of(const Binding& binding) {
  return binding.is_input ? "input" : "output";
}

// A tensor made by hand may lack either array; what is there must be the default layout.
bool is_contiguous(const Tensor& tensor) {
  const auto sizes = tensor.sizes();
  const auto* order = tensor.dim_order().data();
  const auto* strides = tensor.strides().data();
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (order != nullptr && order[d] != d) {
      return false;
    }
    if (strides != nullptr && strides[d] != stride && sizes[d] > 1) {
      return false;
    }
    stride *= sizes[d] > 1 ? sizes[d] : 1;
  }
  return true;
}

inline bool is_as_before(const EValue* value, const Binding& binding) {
  if (value == nullptr || !value->isTensor()) {
    return false;
  }
  const auto* tensor = value->payload.as_tensor.unsafeGetTensorImpl();
  const auto* sizes = tensor->sizes().data();
  const auto* order = tensor->dim_order().data();
  const auto* strides = tensor->strides().data();
  if (tensor->scalar_type() != binding.dtype || tensor->dim() != binding.shape.rank ||
      (binding.shape.rank != 0 && (order == nullptr || strides == nullptr))) {
    return false;
  }
  for (std::int32_t d = 0; d < binding.shape.rank; ++d) {
    if (sizes[d] != binding.shape.sizes[d] || order[d] != d || strides[d] != binding.strides[d]) {
      return false;
    }
  }
  return true;
}

} // namespace

bool has_shape(const Tensor& tensor, const Shape& shape) {
  const auto sizes = tensor.sizes();
  if (static_cast<std::int32_t>(sizes.size()) != shape.rank) {
    return false;
  }
  for (std::int32_t d = 0; d < shape.rank; ++d) {
    if (sizes[static_cast<std::size_t>(d)] != shape.sizes[d]) {
      return false;
    }
  }
  return true;
}

bool are_as_before(Span<EValue*> args, const Engine& engine) {
  if (!engine.has_shapes) {
    return false;
  }
  EValue* const* value = args.data();
  for (const Binding& binding : engine.bindings) {
    if (!is_as_before(*value++, binding)) {
      return false;
    }
  }
  return true;
}

Error check_tensor(const EValue* value, const Binding& binding) {
  if (value == nullptr || !value->isTensor()) {
    return message::argument_not_tensor(direction_of(binding), binding.name);
  }
  const Tensor& tensor = value->payload.as_tensor;
  if (tensor.scalar_type() != binding.dtype) {
    return message::argument_dtype(
        direction_of(binding),
        dtype_name(tensor.scalar_type()),
        dtype_name(binding.dtype),
        binding.name);
  }
  return is_contiguous(tensor) ? Error::Ok
                               : message::argument_layout(direction_of(binding), binding.name);
}

} // namespace executorch_backend_tensorrt
