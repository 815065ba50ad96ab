// Writes the TensorRT blob inside a .pte, byte for byte as Torch-TensorRT's exporter does for the same content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trtet {

struct BlobBinding {
  std::string name;
  std::string dtype;                // "" when unknown
  std::vector<std::int64_t> shape;  // empty when unknown; -1: dynamic
  bool is_input = true;
};

struct BlobAlias {
  std::string output;
  std::string input;
  std::string kind = "kv_cache_update";
};

struct BlobDescription {
  std::vector<BlobBinding> bindings;  // the delegate's inputs in argument order, then outputs
  std::vector<BlobAlias> aliases;     // any makes the magic TR02, so that older readers refuse the blob
  bool hardware_compatible = false;
  std::int64_t device_id = 0;
  std::string serialized_metadata;
  std::string target_platform;
};

// The metadata as compact ASCII JSON in the exporter's key order.
// Throws std::invalid_argument when a string is not UTF-8.
std::string write_metadata(const BlobDescription& description);

// Header, metadata, zeros to the next multiple of 16, engine. Nothing is checked: a reader's tests need bad blobs too.
// Throws std::invalid_argument as write_metadata does and for metadata of 4 GiB and more.
std::string write_blob(const BlobDescription& description, std::string_view engine);

// The same around metadata given as text, whatever it holds.
std::string write_blob(std::string_view metadata, bool has_aliases, std::string_view engine);

}  // namespace trtet
