#include "blob_writer.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace trtet {
namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kEngineAlignment = 16;

template <typename T>
void append_little_endian(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

}  // namespace

std::string write_metadata(const BlobDescription& description) {
  using Json = nlohmann::ordered_json;
  Json bindings = Json::array(), aliases = Json::array();
  for (const BlobBinding& binding : description.bindings)
    bindings.push_back(
        {{"name", binding.name}, {"dtype", binding.dtype}, {"shape", binding.shape}, {"is_input", binding.is_input}});
  for (const BlobAlias& alias : description.aliases)
    aliases.push_back({{"output", alias.output}, {"input", alias.input}, {"kind", alias.kind}});
  const Json root = {{"io_bindings", bindings},
                     {"aliased_io", aliases},
                     {"hardware_compatible", description.hardware_compatible},
                     {"device_id", description.device_id},
                     {"serialized_metadata", description.serialized_metadata},
                     {"target_platform", description.target_platform}};
  try {
    return root.dump(-1, ' ', true);
  } catch (const Json::type_error& error) {
    throw std::invalid_argument(std::string("metadata is not UTF-8: ") + error.what());
  }
}

std::string write_blob(std::string_view metadata, bool has_aliases, std::string_view engine) {
  if (metadata.size() > std::numeric_limits<std::uint32_t>::max() - kHeaderBytes - kEngineAlignment)
    throw std::invalid_argument("metadata of " + std::to_string(metadata.size()) +
                                " bytes; a blob holds less than 4 GiB");
  const std::size_t metadata_end = kHeaderBytes + metadata.size();
  const std::size_t engine_offset = (metadata_end + kEngineAlignment - 1) / kEngineAlignment * kEngineAlignment;
  std::string blob;
  blob.reserve(engine_offset + engine.size());
  blob += has_aliases ? "TR02" : "TR01";
  append_little_endian(blob, static_cast<std::uint32_t>(kHeaderBytes));
  append_little_endian(blob, static_cast<std::uint32_t>(metadata.size()));
  append_little_endian(blob, static_cast<std::uint32_t>(engine_offset));
  append_little_endian(blob, static_cast<std::uint64_t>(engine.size()));
  append_little_endian(blob, std::uint64_t{1});
  blob += metadata;
  blob.append(engine_offset - metadata_end, '\0');
  blob += engine;
  return blob;
}

std::string write_blob(const BlobDescription& description, std::string_view engine) {
  return write_blob(write_metadata(description), !description.aliases.empty(), engine);
}

}  // namespace trtet
