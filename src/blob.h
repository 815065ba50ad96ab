#pragma once

#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch_backend_tensorrt {

/// The two parts of a delegate blob, inside the bytes given to parse_blob (borrowed from them).
struct Blob {
  std::string_view metadata;                            ///< JSON, not yet looked at
  executorch::runtime::Span<const std::uint8_t> engine; ///< a TensorRT plan, at least one byte
};

/// Bytes of the fixed header at the start of a blob.
inline constexpr std::size_t kBlobHeaderBytes = 32;

/// Checks the header and every offset of `bytes`; nothing later checks them again.
/// Errors: InvalidProgram.
executorch::runtime::Result<Blob> parse_blob(executorch::runtime::Span<const std::uint8_t> bytes);

} // namespace executorch_backend_tensorrt
