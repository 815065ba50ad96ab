#include "tensor.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace contract {

TensorArg::TensorArg(ScalarType dtype, std::vector<int32_t> sizes, void* data, TensorShapeDynamism dynamism)
    : layout_(std::make_unique<Layout>()) {
  layout_->dim_order.resize(sizes.size());
  layout_->strides.resize(sizes.size());
  layout_->sizes = std::move(sizes);
  std::iota(layout_->dim_order.begin(), layout_->dim_order.end(), uint8_t{0});
  set_strides();
  impl_ = std::make_unique<executorch::aten::TensorImpl>(dtype, static_cast<ssize_t>(layout_->sizes.size()),
                                                         layout_->sizes.data(), data, layout_->dim_order.data(),
                                                         layout_->strides.data(), dynamism);
  value_ = std::make_unique<EValue>(executorch::aten::Tensor(impl_.get()));
}

std::vector<int32_t> TensorArg::sizes() const {
  const auto sizes = impl_->sizes();
  return std::vector<int32_t>(sizes.begin(), sizes.end());
}

void TensorArg::resize(const std::vector<int32_t>& sizes) {
  const auto error = executorch::runtime::resize_tensor(
      executorch::aten::Tensor(impl_.get()),
      executorch::aten::ArrayRef<executorch::aten::SizesType>(sizes.data(), sizes.size()));
  if (error != executorch::runtime::Error::Ok) {
    throw std::runtime_error("rig: a tensor cannot take that shape");
  }
}

void TensorArg::permute(const std::vector<uint8_t>& dim_order) {
  layout_->dim_order.assign(dim_order.begin(), dim_order.end());
  set_strides();
}

void TensorArg::set_strides() {
  int32_t stride = 1;
  for (size_t i = layout_->dim_order.size(); i-- > 0;) {
    const uint8_t dimension = layout_->dim_order[i];
    layout_->strides[dimension] = stride;
    stride *= std::max(layout_->sizes[dimension], 1);
  }
}

}  // namespace contract
