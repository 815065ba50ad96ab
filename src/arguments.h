#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

#include "engine.h"

namespace executorch_backend_tensorrt {

/// Whether all arguments are just what TensorRT has: tensors, dtypes, layouts, shapes. False also
/// where only check_tensor and has_shape can tell. The one look of a steady call.
bool are_as_before(
    executorch::runtime::Span<executorch::runtime::EValue*> args, const Engine& engine);

/// Whether an argument is a contiguous tensor of the binding's dtype. Errors: InvalidArgument.
executorch::runtime::Error check_tensor(
    const executorch::runtime::EValue* value, const Binding& binding);

/// Whether a tensor has exactly that shape.
bool has_shape(const executorch::aten::Tensor& tensor, const Shape& shape);

} // namespace executorch_backend_tensorrt
