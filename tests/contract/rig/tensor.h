// Tensors as ExecuTorch hands them to a delegate.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include "buffer.h"

namespace contract {

using executorch::aten::ScalarType;
using executorch::aten::TensorShapeDynamism;
using executorch::runtime::EValue;

// One tensor argument over borrowed memory. `sizes` is also the upper bound when it is resizable.
class TensorArg {
 public:
  TensorArg(ScalarType dtype, std::vector<int32_t> sizes, void* data,
            TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND);
  TensorArg(ScalarType dtype, std::vector<int32_t> sizes, const Buffer& buffer)
      : TensorArg(dtype, std::move(sizes), buffer.data()) {}

  EValue* value() { return value_.get(); }
  std::vector<int32_t> sizes() const;
  // Changes the shape within the bound, as the runtime does between calls.
  void resize(const std::vector<int32_t>& sizes);
  void set_data(void* data) { impl_->set_data(data); }
  // Another memory order: the same sizes, no longer contiguous in the default order.
  void permute(const std::vector<uint8_t>& dim_order);

 private:
  void set_strides();

  // On the heap: the EValue and TensorImpl point into them.
  struct Layout {
    std::vector<int32_t> sizes;
    std::vector<uint8_t> dim_order;
    std::vector<int32_t> strides;
  };
  std::unique_ptr<Layout> layout_;
  std::unique_ptr<executorch::aten::TensorImpl> impl_;
  std::unique_ptr<EValue> value_;
};

}  // namespace contract
