#include "blob.h"

#include <nlohmann/json.hpp>

namespace contract {
namespace {

constexpr size_t kHeaderBytes = 32;
constexpr size_t kEngineAlignment = 16;

void append_integer(std::string& to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  }
}

}  // namespace

std::string metadata_json(const BlobText& text) {
  using Json = nlohmann::ordered_json;
  Json bindings = Json::array();
  for (const BindingText& binding : text.bindings) {
    bindings.push_back(
        {{"name", binding.name}, {"dtype", binding.dtype}, {"shape", binding.shape}, {"is_input", binding.is_input}});
  }
  Json document = {{"io_bindings", std::move(bindings)}};
  if (!text.aliases.empty()) {
    Json aliases = Json::array();
    for (const AliasText& alias : text.aliases) {
      Json entry = {{"output", alias.output}, {"input", alias.input}};
      if (!alias.kind.empty()) {
        entry["kind"] = alias.kind;
      }
      aliases.push_back(std::move(entry));
    }
    document["aliased_io"] = std::move(aliases);
  }
  document["hardware_compatible"] = false;
  document["device_id"] = text.device_id;
  document["serialized_metadata"] = "";
  document["target_platform"] = "linux_x86_64";
  return document.dump();
}

std::string pack_blob(const std::string& magic, const std::string& metadata, const std::string& engine) {
  const size_t metadata_end = kHeaderBytes + metadata.size();
  const size_t engine_offset = (metadata_end + kEngineAlignment - 1) / kEngineAlignment * kEngineAlignment;
  std::string blob = magic;
  append_integer(blob, kHeaderBytes, 4);
  append_integer(blob, metadata.size(), 4);
  append_integer(blob, engine_offset, 4);
  append_integer(blob, engine.size(), 8);
  append_integer(blob, 1, 8);
  blob += metadata;
  blob.resize(engine_offset, '\0');
  return blob + engine;
}

std::string make_blob(const BlobText& text, const std::string& engine) {
  return pack_blob(text.aliases.empty() ? "TR01" : "TR02", metadata_json(text), engine);
}

}  // namespace contract
