// Computes one element of a step, the same source on the host and in a kernel: elements do not
// depend on each other, so the result does not depend on who computes them.
#ifndef STANDINS_NVINFER_ELEMENTS_H_
#define STANDINS_NVINFER_ELEMENTS_H_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>

#include "step.h"

#ifdef __CUDACC__
#define STANDIN_HD __host__ __device__
#else
#define STANDIN_HD
#endif

namespace standins {

STANDIN_HD inline bool is_floating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

STANDIN_HD inline float load_float(const View& view, int64_t at) {
  switch (view.dtype) {
    case DType::kFloat16:
      return __half2float(static_cast<const __half*>(view.data)[at]);
    case DType::kBFloat16:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(view.data)[at]);
    default:
      return static_cast<const float*>(view.data)[at];
  }
}
STANDIN_HD inline void store_float(const View& view, int64_t at, float value) {
  switch (view.dtype) {
    case DType::kFloat16:
      static_cast<__half*>(view.data)[at] = __float2half_rn(value);
      return;
    case DType::kBFloat16:
      static_cast<__nv_bfloat16*>(view.data)[at] = __float2bfloat16_rn(value);
      return;
    default:
      static_cast<float*>(view.data)[at] = value;
  }
}
STANDIN_HD inline int64_t load_int(const View& view, int64_t at) {
  switch (view.dtype) {
    case DType::kInt8:
      return static_cast<const int8_t*>(view.data)[at];
    case DType::kInt32:
      return static_cast<const int32_t*>(view.data)[at];
    case DType::kInt64:
      return static_cast<const int64_t*>(view.data)[at];
    default:  // uint8, bool
      return static_cast<const uint8_t*>(view.data)[at];
  }
}
STANDIN_HD inline void store_int(const View& view, int64_t at, int64_t value) {
  switch (view.dtype) {
    case DType::kInt8:
      static_cast<int8_t*>(view.data)[at] = static_cast<int8_t>(value);
      return;
    case DType::kInt32:
      static_cast<int32_t*>(view.data)[at] = static_cast<int32_t>(value);
      return;
    case DType::kInt64:
      static_cast<int64_t*>(view.data)[at] = value;
      return;
    case DType::kBool:
      static_cast<uint8_t*>(view.data)[at] = value != 0;
      return;
    default:
      static_cast<uint8_t*>(view.data)[at] = static_cast<uint8_t>(value);
  }
}

// Where element `index` of `shape` (row-major) lies in `view`, which has the same rank.
STANDIN_HD inline int64_t offset_of(const View& shape, const View& view, int64_t index) {
  int64_t offset = 0;
  for (int axis = shape.rank - 1; axis >= 0; --axis) {
    offset += index % shape.extents[axis] * view.strides[axis];
    index /= shape.extents[axis];
  }
  return offset;
}

template <class Number>
STANDIN_HD inline Number combine(const Step& step, Number a, Number b) {
  switch (step.op) {
    case Op::kRelu:
      return a <= Number(0) ? Number(0) : a;  // NaN stays NaN
    case Op::kNegate:
      return -a;
    case Op::kIncrement:
      return a + static_cast<Number>(step.attribute);
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kMaximum:
      return a < b ? b : a;
    default:
      return a;
  }
}

STANDIN_HD inline void run_elementwise(const Step& step, int64_t index) {
  const int64_t a = step.is_dense ? index : offset_of(step.out, step.in[0], index);
  const int64_t b = step.is_dense ? index : offset_of(step.out, step.in[1], index);
  const bool has_b = step.in[1].data != nullptr;
  if (is_floating(step.in[0].dtype)) {
    const float x = load_float(step.in[0], a);
    const float y = has_b ? load_float(step.in[1], b) : 0.0f;
    store_float(step.out, index, step.op == Op::kAbs ? fabsf(x) : combine<float>(step, x, y));
  } else {
    // Unsigned, so that overflow wraps instead of being undefined.
    const auto x = load_int(step.in[0], a);
    const auto y = has_b ? load_int(step.in[1], b) : 0;
    int64_t value = 0;
    switch (step.op) {
      case Op::kRelu:
      case Op::kMaximum:
        value = combine<int64_t>(step, x, y);
        break;
      case Op::kAbs:
        value = x < 0 ? static_cast<int64_t>(0u - static_cast<uint64_t>(x)) : x;
        break;
      default:
        value = static_cast<int64_t>(
            combine<uint64_t>(step, static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
    }
    store_int(step.out, index, value);
  }
}

STANDIN_HD inline void run_cast(const Step& step, int64_t index) {
  const View& from = step.in[0];
  if (is_floating(from.dtype)) {
    const float value = load_float(from, index);
    if (is_floating(step.out.dtype)) {
      store_float(step.out, index, value);
    } else {
      store_int(step.out, index,
                step.out.dtype == DType::kBool ? value != 0.0f : static_cast<int64_t>(value));
    }
  } else if (is_floating(step.out.dtype)) {
    store_float(step.out, index, static_cast<float>(load_int(from, index)));
  } else {
    store_int(step.out, index, load_int(from, index));
  }
}

// One output element: a dot product or a sum, in order, so that it is repeatable.
STANDIN_HD inline void run_reduction(const Step& step, int64_t index) {
  const int64_t a = offset_of(step.out, step.in[0], index);
  const bool is_matmul = step.op == Op::kMatmul;
  const int64_t b = is_matmul ? offset_of(step.out, step.in[1], index) : 0;
  float sum = 0.0f;
  uint64_t int_sum = 0;
  const bool floating = is_floating(step.in[0].dtype);
  for (int64_t k = 0; k < step.inner; ++k) {
    const int64_t at_a =
        a + (is_matmul ? k * step.inner_stride[0] : offset_of(step.reduced, step.reduced, k));
    const int64_t at_b = b + k * step.inner_stride[1];
    if (floating) {
      sum += load_float(step.in[0], at_a) * (is_matmul ? load_float(step.in[1], at_b) : 1.0f);
    } else {
      int_sum += static_cast<uint64_t>(load_int(step.in[0], at_a)) *
                 static_cast<uint64_t>(is_matmul ? load_int(step.in[1], at_b) : 1);
    }
  }
  if (floating) {
    store_float(step.out, index, sum);
  } else {
    store_int(step.out, index, static_cast<int64_t>(int_sum));
  }
}

// Element of the update, written at its place in the cache; what would fall outside is dropped.
STANDIN_HD inline void run_kv_update(const Step& step, int64_t index) {
  const View& update = step.in[1];
  const int64_t position = load_int(step.in[2], 0);
  const int64_t axis = step.attribute;
  int64_t rest = index;
  int64_t offset = 0;
  for (int i = update.rank - 1; i >= 0; --i) {
    int64_t at = rest % update.extents[i];
    rest /= update.extents[i];
    if (i == axis) at += position;
    if (at < 0 || at >= step.out.extents[i]) return;
    offset += at * step.out.strides[i];
  }
  if (is_floating(update.dtype)) {
    store_float(step.out, offset, load_float(update, index));
  } else {
    store_int(step.out, offset, load_int(update, index));
  }
}

STANDIN_HD inline void run_element(const Step& step, int64_t index) {
  switch (step.op) {
    case Op::kIdentity:
    case Op::kReshape:
      static_cast<uint8_t*>(step.out.data)[index] =
          static_cast<const uint8_t*>(step.in[0].data)[index];
      return;
    case Op::kCast:
      run_cast(step, index);
      return;
    case Op::kMatmul:
    case Op::kSum:
      run_reduction(step, index);
      return;
    case Op::kKvUpdate:
      run_kv_update(step, index);
      return;
    case Op::kFill:
      if (is_floating(step.out.dtype)) {
        store_float(step.out, index, static_cast<float>(step.attribute));
      } else {
        store_int(step.out, index, step.attribute);
      }
      return;
    default:
      run_elementwise(step, index);
  }
}

}  // namespace standins

#endif  // STANDINS_NVINFER_ELEMENTS_H_
