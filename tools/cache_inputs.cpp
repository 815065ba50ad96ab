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

}  // namespace

std::vector<AliasedInput> find_aliased_inputs(const PteMethod& method) {
  std::vector<AliasedInput> found;
  LogCapture log;  // a blob that is refused is reported when the program is loaded
  for (const PteDelegate& part : method.delegates) {
    if (part.backend != delegate::kBackendName || !part.blob) continue;
    const auto blob = delegate::parse_blob({reinterpret_cast<const std::uint8_t*>(part.blob->data()), part.blob->size()});
    if (!blob.ok()) continue;
    const auto metadata = delegate::parse_metadata(blob->metadata);
    if (!metadata.ok()) continue;
    for (const auto& alias : metadata->aliases)
      for (const std::size_t input : inputs_feeding(method, part, argument_of(*metadata, alias.input)))
        found.push_back({input, alias.kind == delegate::AliasKind::kKvCacheUpdate});
  }
  return found;
}

}  // namespace trtet
