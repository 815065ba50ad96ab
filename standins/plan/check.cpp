// Whether a plan's parts fit each other. The writer and the reader both ask.
#include <set>

#include "description.h"

namespace standins {
namespace {

constexpr std::size_t kMaxRank = 8;  // of TensorRT's Dims

[[noreturn]] void fail(const std::string& subject, const std::string& problem) {
  throw PlanError("plan: " + subject + ": " + problem);
}

bool is_dynamic(const Shape& shape) {
  for (int64_t extent : shape) {
    if (extent < 0) return true;
  }
  return false;
}

void check_range(const PlanTensor& tensor, const ShapeRange& range) {
  const std::size_t rank = tensor.shape.size();
  if (range.min.size() != rank || range.opt.size() != rank || range.max.size() != rank) {
    fail(tensor.name, "a profile's rank differs from the tensor's " + std::to_string(rank));
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const bool ordered = range.min[i] <= range.opt[i] && range.opt[i] <= range.max[i];
    const int64_t extent = tensor.shape[i];
    const bool fits = extent < 0 || (range.min[i] == extent && range.max[i] == extent);
    if (range.min[i] < 0 || !ordered || !fits) {
      fail(tensor.name, "dimension " + std::to_string(i) + " of a profile is not min<=opt<=max " +
                            "within the tensor's shape");
    }
  }
}

void derive_profile(Plan& plan) {
  PlanProfile profile;
  for (const auto& tensor : plan.tensors) {
    if (!tensor.is_input) continue;
    if (is_dynamic(tensor.shape)) fail(tensor.name, "is dynamic and the plan has no profile");
    profile.shapes[tensor.name] = {tensor.shape, tensor.shape, tensor.shape};
  }
  plan.profiles.push_back(std::move(profile));
}

void check_profile(const Plan& plan, PlanProfile& profile) {
  for (const auto& tensor : plan.tensors) {
    if (!tensor.is_input) continue;
    auto found = profile.shapes.find(tensor.name);
    if (found == profile.shapes.end()) {
      if (is_dynamic(tensor.shape)) fail(tensor.name, "is dynamic and a profile leaves it out");
      found =
          profile.shapes.emplace(tensor.name, ShapeRange{tensor.shape, tensor.shape, tensor.shape})
              .first;
    }
    check_range(tensor, found->second);
  }
  for (const auto& [name, range] : profile.shapes) {
    (void)range;
    bool known = false;
    for (const auto& tensor : plan.tensors) known |= tensor.is_input && tensor.name == name;
    if (!known) fail(name, "a profile names it and no input has that name");
  }
}

void check_alias(const Plan& plan, const PlanTensor& output) {
  for (const auto& input : plan.tensors) {
    if (!input.is_input || input.name != output.aliased_input) continue;
    if (input.dtype != output.dtype || input.shape != output.shape) {
      fail(output.name, "dtype or shape differs from its aliased input " + input.name);
    }
    return;
  }
  fail(output.name, "aliases '" + output.aliased_input + "', which is no input");
}

void check_nodes(const Plan& plan, std::set<std::string>& known) {
  for (const auto& node : plan.nodes) {
    for (const auto& input : node.inputs) {
      if (known.count(input) == 0)
        fail(node.op, "reads '" + input + "', which nothing before it makes");
    }
    if (!known.insert(node.output).second) fail(node.op, "writes '" + node.output + "' again");
  }
}

}  // namespace

void complete_and_check(Plan& plan) {
  std::set<std::string> known;
  for (const auto& tensor : plan.tensors) {
    if (tensor.shape.size() > kMaxRank) fail(tensor.name, "rank is above 8");
    if (!tensor.is_input && !tensor.aliased_input.empty()) check_alias(plan, tensor);
    if (tensor.is_input && !known.insert(tensor.name).second) fail(tensor.name, "is there twice");
  }
  for (const auto& constant : plan.constants) {
    uint64_t count = 1;
    for (int64_t extent : constant.shape) {
      if (extent < 0) fail(constant.name, "a constant is dynamic");
      count *= static_cast<uint64_t>(extent);
    }
    if (constant.bytes != dtype_bytes(constant.dtype, count)) {
      fail(constant.name, "has " + std::to_string(constant.bytes) + " bytes, its shape needs " +
                              std::to_string(dtype_bytes(constant.dtype, count)));
    }
    if (!known.insert(constant.name).second) fail(constant.name, "is there twice");
  }
  check_nodes(plan, known);
  for (const auto& tensor : plan.tensors) {
    if (!tensor.is_input && !plan.openvino.is_present && known.count(tensor.name) == 0) {
      fail(tensor.name, "is an output and no node makes it");
    }
  }
  if (plan.profiles.empty()) derive_profile(plan);
  for (auto& profile : plan.profiles) check_profile(plan, profile);
}

}  // namespace standins
