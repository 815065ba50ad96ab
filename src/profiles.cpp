#include "profiles.h"

#include <cstdio>

#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;

namespace {

bool admits(const Bounds& bounds, const Shape& shape) {
  for (std::int32_t d = 0; d < shape.rank; ++d) {
    if (shape.sizes[d] < bounds.min.sizes[d] || shape.sizes[d] > bounds.max.sizes[d]) {
      return false;
    }
  }
  return true;
}

// "1..4", or of all profiles "1..4 or 8..16", as far as it fits.
struct RangeText {
  char text[37];
};

RangeText describe_range(const Engine& engine, std::size_t input, std::int32_t d) {
  RangeText range{};
  std::size_t used = 0;
  for (int profile = 0; profile < engine.profile_count; ++profile) {
    const Bounds& bounds = engine.bounds_of(profile, input);
    char one[32];
    const int length = std::snprintf(
        one,
        sizeof(one),
        "%s%d..%d",
        used == 0 ? "" : " or ",
        bounds.min.sizes[d],
        bounds.max.sizes[d]);
    if (length < 0 || used + static_cast<std::size_t>(length) >= sizeof(range.text)) {
      break;
    }
    std::snprintf(range.text + used, sizeof(range.text) - used, "%s", one);
    used += static_cast<std::size_t>(length);
  }
  return range;
}

} // namespace

int find_profile(const Engine& engine) {
  for (int profile = 0; profile < engine.profile_count; ++profile) {
    bool is_fit = true;
    for (std::size_t i = 0; is_fit && i < engine.inputs.size(); ++i) {
      is_fit = admits(engine.bounds_of(profile, i), engine.inputs[i].wanted);
    }
    if (is_fit) {
      return profile;
    }
  }
  return -1;
}

// A dimension outside every profile is named; otherwise the inputs only disagree on a profile.
Error report_no_profile(const Engine& engine) {
  for (std::size_t i = 0; i < engine.inputs.size(); ++i) {
    const Binding& input = engine.inputs[i];
    for (std::int32_t d = 0; d < input.wanted.rank; ++d) {
      bool is_admitted = false;
      for (int p = 0; !is_admitted && p < engine.profile_count; ++p) {
        const Bounds& bounds = engine.bounds_of(p, i);
        is_admitted = input.wanted.sizes[d] >= bounds.min.sizes[d] &&
            input.wanted.sizes[d] <= bounds.max.sizes[d];
      }
      if (!is_admitted) {
        return message::input_bounds(
            d, input.wanted.sizes[d], describe_range(engine, i, d).text, input.name);
      }
    }
  }
  return message::input_no_profile(engine.profile_count);
}

Error use_profile(int profile, Engine& engine, StreamWork& work) {
  if (profile == engine.profile) {
    return Error::Ok;
  }
  work.is_queued = true;
  if (!engine.context->setOptimizationProfileAsync(profile, work.stream)) {
    engine.profile = -1; // unknown: the next call sets one again
    return message::profile_refused(profile);
  }
  engine.profile = profile;
  // TensorRT drops what was set for the former profile.
  for (Binding& input : engine.inputs) {
    input.shape.rank = -1;
    input.address = nullptr;
  }
  for (Binding& output : engine.outputs) {
    output.address = nullptr;
  }
  return Error::Ok;
}

} // namespace executorch_backend_tensorrt
