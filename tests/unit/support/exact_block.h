#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <executorch/runtime/core/span.h>

namespace unit {

/// A copy in a heap block of exactly its size, so that the address sanitizer sees every read past
/// either end.
class ExactBlock {
 public:
  explicit ExactBlock(std::string_view bytes)
      : data_(static_cast<char*>(std::malloc(bytes.empty() ? 1 : bytes.size()))), size_(bytes.size()) {
    if (!bytes.empty()) {
      std::memcpy(data_, bytes.data(), bytes.size());
    }
  }
  ~ExactBlock() { std::free(data_); }
  ExactBlock(const ExactBlock&) = delete;
  ExactBlock& operator=(const ExactBlock&) = delete;

  std::string_view text() const { return {data_, size_}; }
  executorch::runtime::Span<const std::uint8_t> bytes() const {
    return {reinterpret_cast<const std::uint8_t*>(data_), size_};
  }

 private:
  char* data_;
  std::size_t size_;
};

}  // namespace unit
