#include "program.h"

#include <algorithm>

namespace standins {
namespace {

struct OpInfo {
  std::string_view name;
  Op op;
  std::size_t inputs;
};
constexpr OpInfo kOps[] = {
    {"identity", Op::kIdentity, 1},
    {"relu", Op::kRelu, 1},
    {"negate", Op::kNegate, 1},
    {"abs", Op::kAbs, 1},
    {"increment", Op::kIncrement, 1},
    {"cast", Op::kCast, 1},
    {"add", Op::kAdd, 2},
    {"subtract", Op::kSubtract, 2},
    {"multiply", Op::kMultiply, 2},
    {"maximum", Op::kMaximum, 2},
    {"matmul", Op::kMatmul, 2},
    {"sum", Op::kSum, 1},
    {"reshape", Op::kReshape, 1},
    {"kv_update", Op::kKvUpdate, 3},
    {"fill", Op::kFill, 1},
    {"nonzero", Op::kNonzero, 1},
};

const OpInfo& find_op(const PlanNode& node) {
  for (const auto& info : kOps) {
    if (info.name != node.op) continue;
    if (info.inputs != node.inputs.size()) {
      throw PlanError("plan: " + node.op + " takes " + std::to_string(info.inputs) +
                      " inputs, not " + std::to_string(node.inputs.size()));
    }
    return info;
  }
  throw PlanError("plan: operation '" + node.op + "' is unknown");
}

bool is_computable(DType dtype) {
  return dtype != DType::kFp8 && dtype != DType::kInt4 && dtype != DType::kFp4 &&
         dtype != DType::kE8M0;
}

DType output_dtype(const PlanNode& node, Op op, const std::vector<DType>& inputs) {
  const auto attribute = [&](std::size_t index) {
    if (node.attributes.size() <= index)
      throw PlanError("plan: " + node.op + " lacks an attribute");
    return static_cast<DType>(node.attributes[index]);
  };
  if (op != Op::kIdentity && op != Op::kReshape) {
    for (DType dtype : inputs) {
      if (!is_computable(dtype)) {
        throw PlanError("plan: " + node.op + " does not compute on " +
                        std::string(dtype_name(dtype)));
      }
    }
  }
  if (op == Op::kCast) return attribute(0);
  if (op == Op::kFill) return attribute(1);
  if (op == Op::kNonzero) return DType::kInt64;
  if (op == Op::kIncrement || op == Op::kKvUpdate) (void)attribute(0);
  const bool is_binary = inputs.size() > 1;
  if (is_binary && inputs[0] != inputs[1]) {
    throw PlanError("plan: " + node.op + " of " + std::string(dtype_name(inputs[0])) + " and " +
                    std::string(dtype_name(inputs[1])));
  }
  return inputs[0];
}

bool broadcast(const Dims& a, const Dims& b, Dims& out) {
  out.nbDims = std::max(a.nbDims, b.nbDims);
  for (int i = 1; i <= out.nbDims; ++i) {
    const int64_t x = i <= a.nbDims ? a.d[a.nbDims - i] : 1;
    const int64_t y = i <= b.nbDims ? b.d[b.nbDims - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    out.d[out.nbDims - i] = x == 1 ? y : x;
  }
  return true;
}

bool infer_matmul(const Dims& a, const Dims& b, Dims& out) {
  if (a.nbDims < 2 || b.nbDims < 2 || a.d[a.nbDims - 1] != b.d[b.nbDims - 2]) return false;
  Dims x = a;
  Dims y = b;
  x.nbDims -= 2;
  y.nbDims -= 2;
  if (!broadcast(x, y, out)) return false;
  out.d[out.nbDims++] = a.d[a.nbDims - 2];
  out.d[out.nbDims++] = b.d[b.nbDims - 1];
  return true;
}

bool infer_sum(const Dims& in, const std::vector<int64_t>& axes, Dims& out) {
  out.nbDims = 0;
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= in.nbDims) return false;
  }
  for (int i = 0; i < in.nbDims && !axes.empty(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) out.d[out.nbDims++] = in.d[i];
  }
  return true;
}

bool infer_reshape(const Dims& in, const std::vector<int64_t>& wanted, Dims& out) {
  if (wanted.size() > kMaxRank) return false;
  out.nbDims = static_cast<int32_t>(wanted.size());
  int64_t known = 1;
  int free_axis = -1;
  for (int i = 0; i < out.nbDims; ++i) {
    out.d[i] = wanted[static_cast<std::size_t>(i)];
    if (out.d[i] < 0)
      free_axis = i;
    else
      known *= out.d[i];
  }
  if (free_axis >= 0) out.d[free_axis] = known == 0 ? 0 : volume(in) / known;
  return volume(out) == volume(in);
}

}  // namespace

Dims to_dims(const Shape& shape) {
  Dims dims{};
  dims.nbDims = static_cast<int32_t>(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) dims.d[i] = shape[i];
  return dims;
}

std::string to_text(const Dims& dims) {
  std::string text = "[";
  for (int i = 0; i < dims.nbDims; ++i) text += (i == 0 ? "" : ",") + std::to_string(dims.d[i]);
  return text + "]";
}

int64_t volume(const Dims& dims) {
  int64_t count = 1;
  for (int i = 0; i < dims.nbDims; ++i) count *= std::max<int64_t>(dims.d[i], 0);
  return count;
}

bool equal(const Dims& a, const Dims& b) {
  return a.nbDims == b.nbDims && (a.nbDims < 0 || std::equal(a.d, a.d + a.nbDims, b.d));
}

uint64_t bytes_of(DType dtype, const Dims& dims) {
  return dtype_bytes(dtype, static_cast<uint64_t>(volume(dims)));
}

Program::Program(const Plan& plan) {
  const auto add = [this](const std::string& name, DType dtype, const Shape& shape) {
    values_.push_back({name, dtype, to_dims(shape)});
  };
  const auto find = [this](const std::string& name) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].name == name) return static_cast<int>(i);
    }
    return -1;
  };
  for (const auto& tensor : plan.tensors) add(tensor.name, tensor.dtype, tensor.shape);
  first_constant_ = static_cast<int>(values_.size());
  for (const auto& constant : plan.constants) add(constant.name, constant.dtype, constant.shape);
  first_intermediate_ = static_cast<int>(values_.size());

  for (const auto& node : plan.nodes) {
    const OpInfo& info = find_op(node);
    ProgramNode resolved{info.op, {}, find(node.output), node.attributes};
    std::vector<DType> dtypes;
    for (const auto& input : node.inputs) {
      resolved.inputs.push_back(find(input));
      dtypes.push_back(values_[static_cast<std::size_t>(resolved.inputs.back())].dtype);
    }
    const DType dtype = output_dtype(node, info.op, dtypes);
    if (resolved.output < 0) {
      resolved.output = static_cast<int>(values_.size());
      values_.push_back({node.output, dtype, Dims{}});
    } else if (values_[static_cast<std::size_t>(resolved.output)].dtype != dtype) {
      throw PlanError("plan: " + node.output + " is declared with another dtype than " + node.op +
                      " makes");
    }
    nodes_.push_back(std::move(resolved));
  }
}

bool Program::infer_node(const ProgramNode& node, std::vector<Dims>& shapes,
                         const std::vector<const int64_t*>& host_values,
                         std::string& problem) const {
  const auto shape = [&](std::size_t i) -> const Dims& {
    return shapes[static_cast<std::size_t>(node.inputs[i])];
  };
  Dims out{};
  bool fits = true;
  switch (node.op) {
    case Op::kMatmul:
      fits = infer_matmul(shape(0), shape(1), out);
      break;
    case Op::kSum:
      fits = infer_sum(shape(0), node.attributes, out);
      break;
    case Op::kReshape:
      fits = infer_reshape(shape(0), node.attributes, out);
      break;
    case Op::kFill: {
      const int64_t* extents = host_values[static_cast<std::size_t>(node.inputs[0])];
      fits = extents != nullptr && shape(0).nbDims == 1 && shape(0).d[0] <= kMaxRank;
      out.nbDims = fits ? static_cast<int32_t>(shape(0).d[0]) : 0;
      for (int i = 0; i < out.nbDims; ++i) out.d[i] = extents[i];
      break;
    }
    case Op::kNonzero:
      out.nbDims = 2;
      out.d[0] = shape(0).nbDims;
      out.d[1] = -1;
      break;
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kMaximum:
      fits = broadcast(shape(0), shape(1), out);
      break;
    default:
      out = shape(0);
  }
  if (!fits) {
    problem = "shapes do not go together at " + values_[static_cast<std::size_t>(node.output)].name;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) problem += " " + to_text(shape(i));
    return false;
  }
  shapes[static_cast<std::size_t>(node.output)] = out;
  return true;
}

bool Program::infer(std::vector<Dims>& shapes, const std::vector<const int64_t*>& host_values,
                    std::string& problem) const {
  for (const auto& node : nodes_) {
    if (!infer_node(node, shapes, host_values, problem)) return false;
  }
  return true;
}

}  // namespace standins
