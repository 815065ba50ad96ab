#pragma once

#include <string_view>

#include <executorch/runtime/core/error.h>

#include "metadata.h"

namespace executorch_backend_tensorrt {

/// Fills `metadata` from `json`: grammar, keys and value types. What only shows once everything is
/// read (duplicates, alias names) is left to parse_metadata. `metadata.text` has json.size() + 1
/// bytes. Errors: InvalidProgram. Throws std::bad_alloc only.
executorch::runtime::Error read_metadata_json(std::string_view json, Metadata& metadata);

} // namespace executorch_backend_tensorrt
