#pragma once

#include <cstdint>

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

} // namespace executorch_backend_tensorrt
