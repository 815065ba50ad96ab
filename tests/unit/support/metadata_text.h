// Documents of metadata and the reader's answer, for the tests of what it takes and what it refuses.
#pragma once

#include <string>

#include "metadata.h"
#include "support/exact_block.h"

namespace unit {

inline executorch::runtime::Result<executorch_backend_tensorrt::Metadata> parse(const std::string& json) {
  const ExactBlock block(json);
  return executorch_backend_tensorrt::parse_metadata(block.text());
}

// An input and an output.
inline constexpr char kPair[] = R"({"name":"i","is_input":true},{"name":"o","is_input":false})";

inline std::string with_device(const std::string& value) { return "{\"device_id\":" + value + "}"; }
inline std::string with_flag(const std::string& value) { return "{\"hardware_compatible\":" + value + "}"; }
inline std::string with_bindings(const std::string& bindings) { return "{\"io_bindings\":[" + bindings + "]}"; }
inline std::string with_aliases(const std::string& aliases) {
  return "{\"aliased_io\":[" + aliases + "],\"io_bindings\":[" + kPair + "]}";
}
inline std::string nested(int depth) {
  return "{\"x\":" + std::string(static_cast<std::size_t>(depth - 1), '[') +
         std::string(static_cast<std::size_t>(depth - 1), ']') + "}";
}

}  // namespace unit
