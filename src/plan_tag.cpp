#include "plan_tag.h"

#include <cstring>

namespace executorch_backend_tensorrt {

namespace {
constexpr char kTag[] = {'f', 't', 'r', 't'};
constexpr std::size_t kVersionOffset = 24;
} // namespace

std::optional<TensorRtVersion> read_plan_version(const void* bytes, std::size_t size) {
  if (size < kPlanTagBytes || std::memcmp(bytes, kTag, sizeof(kTag)) != 0) {
    return std::nullopt;
  }
  const auto* version = static_cast<const std::uint8_t*>(bytes) + kVersionOffset;
  return TensorRtVersion{version[0], version[1], version[2], version[3]};
}

} // namespace executorch_backend_tensorrt
