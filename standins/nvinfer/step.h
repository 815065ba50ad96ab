// One elementary operation over resolved memory: what of a node is fixed when its shapes and
// addresses are known.
#ifndef STANDINS_NVINFER_STEP_H_
#define STANDINS_NVINFER_STEP_H_

#include <cstdint>

#include "standins/plan.h"

namespace standins {

enum class Op : int32_t {
  kIdentity,  // bytes
  kRelu,
  kNegate,
  kAbs,
  kIncrement,
  kCast,
  kAdd,
  kSubtract,
  kMultiply,
  kMaximum,
  kMatmul,
  kSum,
  kReshape,  // bytes
  kKvUpdate,
  kFill,
  kNonzero,
};

inline constexpr int kMaxRank = 8;

struct View {
  void* data = nullptr;
  DType dtype = DType::kFloat32;
  int32_t rank = 0;
  int64_t extents[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};  // elements; 0 repeats
};

struct Step {
  Op op = Op::kIdentity;
  bool is_dense = false;  // every view is contiguous and of the output's shape
  int64_t count = 0;      // independent elements
  View out;
  View in[3];
  int64_t inner = 1;             // matmul: K; sum: elements summed for each output
  int64_t inner_stride[2] = {};  // matmul: of K in both inputs
  View reduced;                  // sum: the axes that go
  int64_t attribute = 0;
};

}  // namespace standins

#endif  // STANDINS_NVINFER_STEP_H_
