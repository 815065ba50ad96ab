// What the examples share: a program fed with ones, and outputs that a person can read.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

namespace example {

using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::EValue;

// The value, or the end of the process: ExecuTorch's log has said why.
template <typename T>
T required(executorch::runtime::Result<T> result, const char* doing) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s failed: %s\n", doing, executorch::runtime::to_string(result.error()));
    std::exit(1);
  }
  return std::move(*result);
}

// Ones in host memory, of the shapes (bounds, where they are dynamic) and types that `forward` names.
inline std::vector<TensorPtr> ones_for(Module& module) {
  const auto meta = required(module.method_meta("forward"), "loading the program");
  std::vector<TensorPtr> tensors;
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    const auto input = required(meta.input_tensor_meta(i), "reading an input");
    tensors.push_back(executorch::extension::ones({input.sizes().begin(), input.sizes().end()}, input.scalar_type()));
  }
  return tensors;
}

// The first values of each float32 output.
inline std::string text_of(const std::vector<EValue>& outputs) {
  std::string text;
  for (const EValue& output : outputs) {
    const auto& tensor = output.toTensor();
    const auto* values = tensor.const_data_ptr<float>();
    text += text.empty() ? "[" : " [";
    for (ssize_t i = 0; i < std::min<ssize_t>(tensor.numel(), 4); ++i) {
      char number[32];
      std::snprintf(number, sizeof number, i == 0 ? "%g" : ", %g", static_cast<double>(values[i]));
      text += number;
    }
    text += "]";
  }
  return text;
}

}  // namespace example
