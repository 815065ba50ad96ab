#include "arguments.h"

#include "base/dtype_name.h"
#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;

namespace {

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

Error check_tensor(const EValue* value, const Binding& binding) {
  if (value == nullptr || !value->isTensor()) {
    return message::argument_not_tensor(binding.direction(), binding.name);
  }
  const Tensor& tensor = value->payload.as_tensor;
  if (tensor.scalar_type() != binding.dtype) {
    return message::argument_dtype(
        binding.direction(),
        dtype_name(tensor.scalar_type()),
        dtype_name(binding.dtype),
        binding.name);
  }
  return is_contiguous(tensor) ? Error::Ok
                               : message::argument_layout(binding.direction(), binding.name);
}

} // namespace executorch_backend_tensorrt
