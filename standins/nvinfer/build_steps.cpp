// Turns nodes with known shapes and addresses into steps. Allocates nothing.
#include <algorithm>

#include "program.h"

namespace standins {
namespace {

View dense_view(void* data, DType dtype, const Dims& dims) {
  View view;
  view.data = data;
  view.dtype = dtype;
  view.rank = dims.nbDims;
  int64_t stride = 1;
  for (int i = dims.nbDims - 1; i >= 0; --i) {
    view.extents[i] = dims.d[i];
    view.strides[i] = stride;
    stride *= dims.d[i];
  }
  return view;
}

// `view` seen with `rank` axes: new ones in front, and those of extent 1 repeated.
View repeated(const View& view, int rank) {
  View wide = view;
  wide.rank = rank;
  const int added = rank - view.rank;
  for (int i = rank - 1; i >= 0; --i) {
    const bool repeats = i < added || view.extents[i - added] == 1;
    wide.extents[i] = i < added ? 1 : view.extents[i - added];
    wide.strides[i] = repeats ? 0 : view.strides[i - added];
  }
  return wide;
}

void make_bytes(Step& step) {
  step.op = Op::kIdentity;
  int64_t count = 1;
  for (int i = 0; i < step.out.rank; ++i) count *= step.out.extents[i];
  step.count = static_cast<int64_t>(dtype_bytes(step.out.dtype, static_cast<uint64_t>(count)));
}

void make_elementwise(Step& step, std::size_t inputs) {
  step.is_dense = true;
  for (std::size_t i = 0; i < inputs; ++i) {
    View& in = step.in[i];
    step.is_dense &=
        in.rank == step.out.rank && std::equal(in.extents, in.extents + in.rank, step.out.extents);
    in = repeated(in, step.out.rank);
  }
}

void make_matmul(Step& step) {
  View& a = step.in[0];
  View& b = step.in[1];
  const int rank = step.out.rank;
  step.inner = a.extents[a.rank - 1];
  step.inner_stride[0] = a.strides[a.rank - 1];
  step.inner_stride[1] = b.strides[b.rank - 2];
  const int64_t row_stride = a.strides[a.rank - 2];
  const int64_t column_stride = b.strides[b.rank - 1];
  a = repeated(a, rank);
  b = repeated(b, rank);
  a.strides[rank - 2] = row_stride;
  a.strides[rank - 1] = 0;
  b.strides[rank - 2] = 0;
  b.strides[rank - 1] = column_stride;
}

void make_sum(Step& step, const std::vector<int64_t>& axes) {
  const View in = step.in[0];
  View kept = in;
  kept.rank = 0;
  step.inner = 1;
  for (int i = 0; i < in.rank; ++i) {
    const bool goes = axes.empty() || std::find(axes.begin(), axes.end(), i) != axes.end();
    View& to = goes ? step.reduced : kept;
    to.extents[to.rank] = in.extents[i];
    to.strides[to.rank++] = in.strides[i];
    if (goes) step.inner *= in.extents[i];
  }
  step.in[0] = kept;
}

}  // namespace

int build_steps(const ProgramNode& node, const Program& program, const std::vector<Dims>& shapes,
                const std::vector<void*>& addresses, Step (&steps)[2]) {
  Step step;
  const auto view = [&](int value) {
    const auto index = static_cast<std::size_t>(value);
    return dense_view(addresses[index], program.values()[index].dtype, shapes[index]);
  };
  step.op = node.op;
  step.out = view(node.output);
  step.count = volume(shapes[static_cast<std::size_t>(node.output)]);
  step.attribute = node.attributes.empty() ? 0 : node.attributes[0];
  for (std::size_t i = 0; i < node.inputs.size(); ++i) step.in[i] = view(node.inputs[i]);

  int count = 0;
  switch (node.op) {
    case Op::kIdentity:
    case Op::kReshape:
      make_bytes(step);
      if (step.in[0].data == step.out.data) step.count = 0;
      break;
    case Op::kMatmul:
      make_matmul(step);
      break;
    case Op::kSum:
      make_sum(step, node.attributes);
      break;
    case Op::kKvUpdate:
      if (step.in[0].data != step.out.data) {
        steps[count] = step;
        make_bytes(steps[count++]);
      }
      step.count = volume(shapes[static_cast<std::size_t>(node.inputs[1])]);
      break;
    case Op::kFill:
    case Op::kCast:
      break;
    default:
      make_elementwise(step, node.inputs.size());
  }
  steps[count++] = step;
  return count;
}

}  // namespace standins
