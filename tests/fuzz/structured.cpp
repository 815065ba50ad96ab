#include "structured.h"

#include <algorithm>
#include <cstring>

// Weak: only libFuzzer defines it.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace fuzz {

size_t mutate_bytes(uint8_t* data, size_t size, size_t max_size) {
  if (&LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, max_size);
  if (size != 0) data[size / 2] = static_cast<uint8_t>(data[size / 2] ^ 1u);
  return size;
}

size_t write_blob_around(const std::string& metadata, uint8_t* data, size_t max_size) {
  constexpr uint32_t kHeader = 32;
  constexpr uint64_t kEngineBytes = 16;
  const auto length = static_cast<uint32_t>(metadata.size());
  const uint32_t engine_offset = (kHeader + length + 15) / 16 * 16;
  std::string blob(engine_offset + kEngineBytes, '\0');
  std::memcpy(&blob[0], "TR01", 4);
  std::memcpy(&blob[4], &kHeader, 4);
  std::memcpy(&blob[8], &length, 4);
  std::memcpy(&blob[12], &engine_offset, 4);
  std::memcpy(&blob[16], &kEngineBytes, 8);
  blob[24] = 1;
  std::memcpy(&blob[kHeader], metadata.data(), length);
  const size_t size = std::min(blob.size(), max_size);
  std::memcpy(data, blob.data(), size);
  return size;
}

}  // namespace fuzz
