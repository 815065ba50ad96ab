// Blobs as a `.pte` carries them, written from the wire format's table and nothing of the delegate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contract {

struct BindingText {
  std::string name;
  bool is_input;
  std::string dtype = "";
  std::vector<int64_t> shape = {};
};

struct AliasText {
  std::string output;
  std::string input;
  std::string kind = "";  // empty: the key is left out
};

struct BlobText {
  std::vector<BindingText> bindings;
  std::vector<AliasText> aliases;
  int64_t device_id = 0;
};

// The metadata document of `text`, keys in the writer's order.
std::string metadata_json(const BlobText& text);

// Header, metadata at 32, zeros to a multiple of 16, engine.
std::string pack_blob(const std::string& magic, const std::string& metadata, const std::string& engine);

// Both, with the magic that the aliases ask for.
std::string make_blob(const BlobText& text, const std::string& engine);

}  // namespace contract
