#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/tensorrt_version.h"

namespace executorch_backend_tensorrt {

/// Bytes at the start of a plan that read_plan_version looks at.
inline constexpr std::size_t kPlanTagBytes = 28;

/// The version of the TensorRT that built a plan: tag "ftrt" at 0, one byte per number at 24..27.
/// Nothing when `bytes` does not begin like a plan. Reads no byte beyond `size`; never fails.
std::optional<TensorRtVersion> read_plan_version(const void* bytes, std::size_t size);

} // namespace executorch_backend_tensorrt
