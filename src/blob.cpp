#include "blob.h"

#include <cstring>

#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Result;
using executorch::runtime::Span;

namespace {

constexpr char kMagic[] = "TR01";
constexpr char kMagicWithAliases[] = "TR02";
constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kEngineAlignment = 16;

struct Header {
  std::uint32_t metadata_offset;
  std::uint32_t metadata_bytes;
  std::uint32_t engine_offset;
  std::uint64_t engine_bytes;
};

template <typename T>
T read_little_endian(const std::uint8_t* bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
  }
  return value;
}

Header read_header(const std::uint8_t* bytes) {
  return {
      read_little_endian<std::uint32_t>(bytes + 4),
      read_little_endian<std::uint32_t>(bytes + 8),
      read_little_endian<std::uint32_t>(bytes + 12),
      read_little_endian<std::uint64_t>(bytes + 16)};
}

bool has_known_magic(const std::uint8_t* bytes) {
  return std::memcmp(bytes, kMagic, kMagicBytes) == 0 ||
      std::memcmp(bytes, kMagicWithAliases, kMagicBytes) == 0;
}

} // namespace

Result<Blob> parse_blob(Span<const std::uint8_t> bytes) {
  if (bytes.size() < kBlobHeaderBytes) {
    return message::blob_truncated(bytes.size());
  }
  if (!has_known_magic(bytes.data())) {
    const std::uint8_t* m = bytes.data();
    return message::blob_magic(m[0], m[1], m[2], m[3]);
  }
  const Header header = read_header(bytes.data());
  if (header.metadata_offset < kBlobHeaderBytes) {
    return message::blob_metadata_offset(header.metadata_offset);
  }
  const std::uint64_t metadata_end = std::uint64_t{header.metadata_offset} + header.metadata_bytes;
  if (metadata_end > bytes.size() || metadata_end > header.engine_offset) {
    return message::blob_metadata_range(
        header.metadata_offset, header.metadata_bytes, header.engine_offset, bytes.size());
  }
  if (header.engine_offset % kEngineAlignment != 0) {
    return message::blob_engine_alignment(header.engine_offset);
  }
  if (header.engine_bytes == 0) {
    return message::blob_engine_empty();
  }
  if (header.engine_offset > bytes.size() ||
      header.engine_bytes > bytes.size() - header.engine_offset) {
    return message::blob_engine_range(header.engine_offset, header.engine_bytes, bytes.size());
  }
  return Blob{
      std::string_view(
          reinterpret_cast<const char*>(bytes.data()) + header.metadata_offset,
          header.metadata_bytes),
      Span<const std::uint8_t>(
          bytes.data() + header.engine_offset, static_cast<std::size_t>(header.engine_bytes))};
}

} // namespace executorch_backend_tensorrt
