#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace executorch_backend_tensorrt {

/// A TensorRT version, e.g. 11.4.0.106.
struct TensorRtVersion {
  std::int32_t major = 0;
  std::int32_t minor = 0;
  std::int32_t patch = 0;
  std::int32_t build = 0;
};

constexpr bool operator==(const TensorRtVersion& a, const TensorRtVersion& b) {
  return a.major == b.major && a.minor == b.minor && a.patch == b.patch && a.build == b.build;
}
constexpr bool operator!=(const TensorRtVersion& a, const TensorRtVersion& b) {
  return !(a == b);
}

/// Bytes at the start of a plan that read_plan_version looks at.
inline constexpr std::size_t kPlanTagBytes = 28;

/// The version of the TensorRT that built a plan: tag "ftrt" at 0, one byte per number at 24..27.
/// Nothing when `bytes` does not begin like a plan. Reads no byte beyond `size`; never fails.
std::optional<TensorRtVersion> read_plan_version(const void* bytes, std::size_t size);

} // namespace executorch_backend_tensorrt
