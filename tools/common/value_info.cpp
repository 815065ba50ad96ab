#include "common/value_info.h"

#include <algorithm>

#include "cache_inputs.h"
#include "common/failure.h"
#include "common/file.h"
#include "common/terminal.h"
#include "pte_reader.h"

namespace trtet {
namespace {

using executorch::runtime::Error;
using executorch::runtime::MethodMeta;
using executorch::runtime::Tag;

void check(Error error, const std::string& name) {
  if (error != Error::Ok)
    throw Failure("the program's " + name + " cannot be read: " + executorch::runtime::to_string(error));
}

template <typename ReadTag, typename ReadTensor>
ValueInfo read_value(const std::string& name, const ReadTag& read_tag, const ReadTensor& read_tensor) {
  ValueInfo info;
  info.name = name;
  const auto tag = read_tag();
  check(tag.error(), name);
  info.tag = *tag;
  if (info.tag != Tag::Tensor) return info;
  const auto tensor = read_tensor();
  check(tensor.error(), name);
  info.dtype = tensor->scalar_type();
  info.sizes.assign(tensor->sizes().begin(), tensor->sizes().end());
  info.is_memory_planned = tensor->is_memory_planned();
  return info;
}

// ExecuTorch's metadata says neither what a value is called, nor where it lives, nor what a delegate updates in place.
void add_what_the_file_says(const PteMethod& method, MethodValues& values) {
  const std::vector<std::string> names = find_value_names(method);
  const auto add = [&](const std::vector<std::int32_t>& indices, std::vector<ValueInfo>& infos) {
    for (std::size_t i = 0; i < std::min(indices.size(), infos.size()); ++i) {
      const auto index = static_cast<std::size_t>(indices[i]);
      const auto& tensor = method.values[index].tensor;
      if (!names[index].empty()) infos[i].name = names[index];
      infos[i].is_on_device = tensor && tensor->placement.type == PteDevice::kCuda;
    }
  };
  add(method.inputs, values.inputs);
  add(method.outputs, values.outputs);
  for (std::size_t i = 0; i < std::min(method.outputs.size(), values.outputs.size()); ++i) {
    const std::int32_t index = method.outputs[i];
    const auto& tensor = method.values[static_cast<std::size_t>(index)].tensor;
    const bool is_input = std::find(method.inputs.begin(), method.inputs.end(), index) != method.inputs.end();
    values.outputs[i].is_given = is_input || (tensor && tensor->is_constant);
  }
  for (const AliasedInput& aliased : find_aliased_inputs(method)) {
    if (aliased.input >= values.inputs.size()) continue;
    ValueInfo& input = values.inputs[aliased.input];
    input.is_on_device = true;
    input.is_cache = input.is_cache || aliased.is_cache;
  }
}

}  // namespace

MethodValues read_method_values(const MethodMeta& meta, const std::string& path) {
  MethodValues values;
  for (std::size_t i = 0; i < meta.num_inputs(); ++i)
    values.inputs.push_back(read_value(
        "input" + std::to_string(i), [&] { return meta.input_tag(i); }, [&] { return meta.input_tensor_meta(i); }));
  for (std::size_t i = 0; i < meta.num_outputs(); ++i)
    values.outputs.push_back(read_value(
        "output" + std::to_string(i), [&] { return meta.output_tag(i); }, [&] { return meta.output_tensor_meta(i); }));
  const MappedFile file(path);
  const PteFile pte = read_pte({reinterpret_cast<const char*>(file.data()), file.size()});
  for (const PteMethod& method : pte.methods)
    if (method.name == meta.name()) add_what_the_file_says(method, values);
  return values;
}

std::size_t find_value(const std::vector<ValueInfo>& values, const std::string& name, const char* kind,
                       const char* flag) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (name == values[i].name || name == std::to_string(i) || name == kind + std::to_string(i)) return i;
  std::string list;
  for (const ValueInfo& value : values) list += (list.empty() ? "" : ", ") + printable(value.name);
  throw UsageError(std::string(flag) + ": the program has no " + kind + " '" + name +
                   "'; it has: " + (list.empty() ? "none" : list));
}

}  // namespace trtet
