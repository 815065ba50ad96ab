#include "base/dtype_name.h"

#include <gtest/gtest.h>

namespace executorch_backend_tensorrt {
namespace {

using executorch::aten::ScalarType;

TEST(DtypeName, IsPyTorchs) {
  EXPECT_STREQ(dtype_name(ScalarType::Float), "float32");
  EXPECT_STREQ(dtype_name(ScalarType::Half), "float16");
  EXPECT_STREQ(dtype_name(ScalarType::BFloat16), "bfloat16");
  EXPECT_STREQ(dtype_name(ScalarType::Double), "float64");
  EXPECT_STREQ(dtype_name(ScalarType::Char), "int8");
  EXPECT_STREQ(dtype_name(ScalarType::Byte), "uint8");
  EXPECT_STREQ(dtype_name(ScalarType::Short), "int16");
  EXPECT_STREQ(dtype_name(ScalarType::Int), "int32");
  EXPECT_STREQ(dtype_name(ScalarType::Long), "int64");
  EXPECT_STREQ(dtype_name(ScalarType::Bool), "bool");
  EXPECT_STREQ(dtype_name(ScalarType::QInt8), "another type");
}

}  // namespace
}  // namespace executorch_backend_tensorrt
