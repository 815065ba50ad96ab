#include "arguments.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using testing::HasSubstr;

// A tensor of given sizes with its arrays; contiguous unless these are changed.
struct Argument {
  explicit Argument(std::vector<int> of_sizes, ScalarType dtype = ScalarType::Float)
      : sizes(std::move(of_sizes)), order(sizes.size()), strides(sizes.size()) {
    int stride = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      order[d] = static_cast<std::uint8_t>(d);
      strides[d] = stride;
      stride *= sizes[d];
    }
    impl.emplace(dtype, static_cast<ssize_t>(sizes.size()), sizes.data(), nullptr, order.data(), strides.data());
    value = EValue(Tensor(&*impl));
  }

  std::vector<int> sizes;
  std::vector<std::uint8_t> order;
  std::vector<int> strides;
  std::optional<TensorImpl> impl;
  EValue value;
};

// An engine with one float input of shape [2, 3] that TensorRT has already.
struct OneInput {
  OneInput() {
    Binding binding;
    binding.name = "x";
    binding.is_input = true;
    binding.dtype = ScalarType::Float;
    binding.element_bytes = 4;
    binding.shape.rank = 2;
    binding.shape.sizes[0] = 2;
    binding.shape.sizes[1] = 3;
    binding.strides[0] = 3;
    binding.strides[1] = 1;
    engine.bindings.push(std::move(binding));
    engine.split_bindings(1);
  }
  const Binding& binding() const { return engine.bindings[0]; }
  Engine engine;
};

bool is_as_before(const Argument& argument, const OneInput& one) {
  return is_as_before(&argument.value, one.binding());
}

TEST(Arguments, SameTensorIsAsBefore) {
  const OneInput one;
  EXPECT_TRUE(is_as_before(Argument({2, 3}), one));
}

TEST(Arguments, AnyDifferenceIsSeen) {
  const OneInput one;
  EXPECT_FALSE(is_as_before(Argument({2, 4}), one));
  EXPECT_FALSE(is_as_before(Argument({3, 3}), one));
  EXPECT_FALSE(is_as_before(Argument({6}), one));
  EXPECT_FALSE(is_as_before(Argument({2, 3, 1}), one));
  EXPECT_FALSE(is_as_before(Argument({2, 3}, ScalarType::Int), one));
  Argument other_strides({2, 3});
  other_strides.strides = {1, 2};
  other_strides.impl.emplace(ScalarType::Float, 2, other_strides.sizes.data(), nullptr, other_strides.order.data(),
                             other_strides.strides.data());
  EXPECT_FALSE(is_as_before(other_strides, one));
  Argument other_order({2, 3});
  other_order.order[0] = 1;
  other_order.order[1] = 0;
  EXPECT_FALSE(is_as_before(other_order, one));
  Argument none({2, 3});
  none.value = EValue();
  EXPECT_FALSE(is_as_before(none, one));
}

TEST(Arguments, RefusedByNameAndRemedy) {
  const OneInput one;
  unit::LogCapture log;
  EXPECT_EQ(check_tensor(nullptr, one.binding()), Error::InvalidArgument);
  EXPECT_THAT(log.text(), HasSubstr("input is no tensor"));
  log.clear();
  const Argument half({2, 3}, ScalarType::Half);
  EXPECT_EQ(check_tensor(&half.value, one.binding()), Error::InvalidArgument);
  EXPECT_THAT(log.text(), HasSubstr("dtype float16, the engine wants float32"));
  log.clear();
  Argument turned({2, 3});
  turned.order[0] = 1;
  turned.order[1] = 0;
  EXPECT_EQ(check_tensor(&turned.value, one.binding()), Error::InvalidArgument);
  EXPECT_THAT(log.text(), HasSubstr("not contiguous"));
}

TEST(Arguments, TensorWithoutLayoutArraysIsContiguous) {
#ifndef NDEBUG
  GTEST_SKIP() << "ExecuTorch's debug checks end the process over a tensor without layout arrays";
#endif
  const OneInput one;
  Argument bare({2, 3});
  bare.impl.emplace(ScalarType::Float, 2, bare.sizes.data());
  EXPECT_EQ(check_tensor(&bare.value, one.binding()), Error::Ok);
  EXPECT_FALSE(is_as_before(bare, one));  // looked at closely at every call
}

}  // namespace
}  // namespace executorch_backend_tensorrt
