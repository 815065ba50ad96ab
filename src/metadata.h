#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include "base/list.h"

namespace executorch_backend_tensorrt {

/// One input or output of the engine as the exporter wrote it. Strings are NUL-terminated.
struct MetadataBinding {
  std::string_view name;       ///< not empty, at most kMaxNameBytes, no NUL inside
  std::string_view dtype;      ///< informative, may be empty
  std::size_t shape_begin = 0; ///< into Metadata::shape_values
  std::size_t shape_count = 0;
  bool is_input = false;
};

enum class AliasKind : std::uint8_t { kKvCacheUpdate, kUser };

/// An output that is written into an input's storage. Both are names of Metadata::bindings, or of
/// the engine's tensors when there are no bindings.
struct MetadataAlias {
  std::string_view output;
  std::string_view input;
  AliasKind kind = AliasKind::kKvCacheUpdate;
};

/// The checked metadata of one blob. Owns what its views point at; moving keeps them valid.
struct Metadata {
  List<MetadataBinding> bindings; ///< empty: take the engine's names in the engine's order
  List<MetadataAlias> aliases;    ///< each output at most once
  List<std::int64_t> shape_values;
  std::int32_t device_id = 0; ///< never negative
  bool hardware_compatible = false;
  std::string_view target_platform;

  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> text; ///< the decoded strings
};

/// The longest tensor name TensorRT takes.
inline constexpr std::size_t kMaxNameBytes = 4095;

/// Reads the JSON of a blob strictly, in any key order, in linear time and memory. A number that no
/// double can hold is refused even under an unknown key, as JSON lets a reader do.
/// Errors: InvalidProgram, naming what and where. Throws std::bad_alloc only.
executorch::runtime::Result<Metadata> parse_metadata(std::string_view json);

} // namespace executorch_backend_tensorrt
