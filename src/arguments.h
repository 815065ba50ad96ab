#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

#include "engine.h"

namespace executorch_backend_tensorrt {

/// Whether an argument is just what TensorRT has: a tensor of that dtype, layout and shape. False
/// also where only check_tensor and has_shape can tell. The one look of a steady call.
inline bool is_as_before(const executorch::runtime::EValue* value, const Binding& binding) {
  if (value == nullptr || !value->isTensor()) {
    return false;
  }
  const auto* tensor = value->payload.as_tensor.unsafeGetTensorImpl();
  const std::int32_t rank = binding.shape.rank;
  if (tensor->scalar_type() != binding.dtype || tensor->dim() != rank) {
    return false;
  }
  const auto* sizes = tensor->sizes().data();
  const auto* order = tensor->dim_order().data();
  const auto* strides = tensor->strides().data();
  if (rank != 0 && (order == nullptr || strides == nullptr)) {
    return false;
  }
  for (std::int32_t d = 0; d != rank; ++d) {
    if (sizes[d] != binding.shape.sizes[d] || order[d] != d || strides[d] != binding.strides[d]) {
      return false;
    }
  }
  return true;
}

/// Whether an argument is a contiguous tensor of the binding's dtype. Errors: InvalidArgument.
executorch::runtime::Error check_tensor(
    const executorch::runtime::EValue* value, const Binding& binding);

/// Whether a tensor has exactly that shape.
bool has_shape(const executorch::aten::Tensor& tensor, const Shape& shape);

} // namespace executorch_backend_tensorrt
