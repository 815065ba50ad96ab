// The metadata reader. What it accepts is written again by the project's writer and must read the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "blob_writer.h"
#include "metadata.h"
#include "structured.h"

using executorch_backend_tensorrt::AliasKind;
using executorch_backend_tensorrt::Metadata;
using executorch_backend_tensorrt::parse_metadata;

namespace {

trtet::BlobDescription describe(const Metadata& metadata) {
  trtet::BlobDescription description;
  for (const auto& binding : metadata.bindings) {
    const auto* shape = metadata.shape_values.data() + binding.shape_begin;
    description.bindings.push_back(
        {std::string(binding.name), std::string(binding.dtype),
         binding.shape_count == 0 ? std::vector<int64_t>() : std::vector<int64_t>(shape, shape + binding.shape_count),
         binding.is_input});
  }
  for (const auto& alias : metadata.aliases) {
    description.aliases.push_back({std::string(alias.output), std::string(alias.input),
                                   alias.kind == AliasKind::kUser ? "user" : "kv_cache_update"});
  }
  description.hardware_compatible = metadata.hardware_compatible;
  description.device_id = metadata.device_id;
  description.target_platform = std::string(metadata.target_platform);
  return description;
}

bool same(const Metadata& a, const Metadata& b) {
  return trtet::write_metadata(describe(a)) == trtet::write_metadata(describe(b));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto metadata = parse_metadata({reinterpret_cast<const char*>(data), size});
  if (!metadata.ok()) return 0;
  const std::string written = trtet::write_metadata(describe(metadata.get()));
  const auto again = parse_metadata(written);
  if (!again.ok() || !same(metadata.get(), again.get())) std::abort();
  return 0;
}

// Most mutations are of whole tokens, so that they remain JSON.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::string json(reinterpret_cast<const char*>(data), size);
  fuzz::mutate_json(json, seed);
  const size_t length = std::min(json.size(), max_size);
  std::memcpy(data, json.data(), length);
  return length;
}
