// JSON as the tool writes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trtet {

using Json = nlohmann::ordered_json;

// Indented, with a new line at the end; bytes that are no UTF-8 are replaced.
inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trtet
