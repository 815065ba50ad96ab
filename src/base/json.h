#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>

namespace executorch_backend_tensorrt {

/// Memory for RapidJSON, which does not look at what its allocator returns. Throws std::bad_alloc.
struct ThrowingAllocator {
  [[maybe_unused]] static constexpr bool kNeedFree = true;
  static void* Malloc(std::size_t bytes) { return Realloc(nullptr, 0, bytes); }
  static void* Realloc(void* old, std::size_t, std::size_t bytes) {
    if (bytes == 0) {
      std::free(old);
      return nullptr;
    }
    void* grown = std::realloc(old, bytes);
    if (grown == nullptr) {
      throw std::bad_alloc();
    }
    return grown;
  }
  static void Free(void* bytes) { std::free(bytes); }
};

/// Whether half a surrogate pair stands in text that RapidJSON let pass: version 1.1 refuses one
/// when it is the first half only. Its other checks hold, so a byte follows each lead byte.
inline bool has_surrogate(std::string_view utf8) {
  for (std::size_t at = utf8.find('\xed'); at != utf8.npos; at = utf8.find('\xed', at + 1)) {
    if (static_cast<unsigned char>(utf8[at + 1]) >= 0xa0) {
      return true;
    }
  }
  return false;
}

} // namespace executorch_backend_tensorrt
