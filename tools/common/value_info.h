// The inputs and outputs of a method, as the program declares them.
#pragma once

#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/executor/method_meta.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/array.h"

namespace trtet {

// One input or output. Sizes are upper bounds; what follows `tag` is of tensors only.
struct ValueInfo {
  std::string name;  // the program's or the blob's, else "input0" / "output0"
  executorch::runtime::Tag tag = executorch::runtime::Tag::None;
  ScalarType dtype = ScalarType::Float;
  std::vector<std::int32_t> sizes;
  bool is_memory_planned = false;
  bool is_on_device = false;  // the program takes or gives it in GPU memory, without a copy
  bool is_given = false;      // outputs: an input or a constant given back, so that it has memory already
  bool is_cache = false;      // inputs: the delegate updates it in place, starting from zero
};

struct MethodValues {
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
};

// `path` is the file `meta` came from; what ExecuTorch's metadata leaves out is read there. Throws Failure.
MethodValues read_method_values(const executorch::runtime::MethodMeta& meta, const std::string& path);

// Index of the value with this name, this number, or this kind and number ("input0").
// Throws UsageError naming `flag` and the values there are; `kind` is "input" or "output".
std::size_t find_value(const std::vector<ValueInfo>& values, const std::string& name, const char* kind,
                       const char* flag);

}  // namespace trtet
