#include "cache_inputs.h"

#include "blob.h"
#include "common/log.h"
#include "executorch_backend_tensorrt/options.h"
#include "metadata.h"

namespace trtet {
namespace {

namespace delegate = executorch_backend_tensorrt;

// The argument's place among the delegate's arguments: inputs come first, in the order of the list.
std::size_t argument_of(const delegate::Metadata& metadata, std::string_view input_name) {
  std::size_t argument = 0;
  for (const auto& binding : metadata.bindings) {
    if (!binding.is_input) continue;
    if (binding.name == input_name) return argument;
    ++argument;
  }
  return static_cast<std::size_t>(-1);
}

// Calls `use(part, metadata)` for every TensorRT part with a sound blob. Refused ones are reported at load.
template <typename Use>
void for_each_blob(const PteMethod& method, const Use& use) {
  LogCapture log;
  for (const PteDelegate& part : method.delegates) {
    if (part.backend != delegate::kBackendName || !part.blob) continue;
    const auto blob =
        delegate::parse_blob({reinterpret_cast<const std::uint8_t*>(part.blob->data()), part.blob->size()});
    if (!blob.ok()) continue;
    const auto metadata = delegate::parse_metadata(blob->metadata);
    if (metadata.ok()) use(part, *metadata);
  }
}

}  // namespace

std::vector<AliasedInput> find_aliased_inputs(const PteMethod& method) {
  std::vector<AliasedInput> found;
  for_each_blob(method, [&](const PteDelegate& part, const delegate::Metadata& metadata) {
    for (const auto& alias : metadata.aliases)
      for (const std::size_t input : inputs_feeding(method, part, argument_of(metadata, alias.input)))
        found.push_back({input, alias.kind == delegate::AliasKind::kKvCacheUpdate});
  });
  return found;
}

std::vector<std::string> find_value_names(const PteMethod& method) {
  std::vector<std::string> names(method.values.size());
  const auto set = [&](std::int32_t value, std::string_view name) {
    std::string& place = names[static_cast<std::size_t>(value)];
    if (place.empty()) place = name;
  };
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = method.values[i].name;
  for_each_blob(method, [&](const PteDelegate& part, const delegate::Metadata& metadata) {
    if (part.calls.empty()) return;
    const std::vector<std::int32_t>& arguments = part.calls.front().arguments;
    std::size_t argument = 0;
    for (const bool is_input : {true, false})
      for (const auto& binding : metadata.bindings)
        if (binding.is_input == is_input && argument < arguments.size()) set(arguments[argument++], binding.name);
  });
  for (const PteCopy& copy : method.copies) {
    set(copy.from, names[static_cast<std::size_t>(copy.to)]);
    set(copy.to, names[static_cast<std::size_t>(copy.from)]);
  }
  return names;
}

}  // namespace trtet
