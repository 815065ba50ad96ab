#include "staging.h"

#include <algorithm>
#include <cstring>

#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;

namespace {

// What a dynamic tensor may reserve for shapes that never come; a larger one grows on first use.
constexpr std::size_t kMostSpeculativeBytes = std::size_t{64} << 20;

// Bytes at the largest shape that any profile allows; 0 when they do not fit.
std::size_t largest_bytes(const Engine& engine, std::size_t input) {
  std::uint64_t most = 0;
  for (int profile = 0; profile < engine.profile_count; ++profile) {
    const Shape& max = engine.bounds_of(profile, input).max;
    std::uint64_t bytes = engine.inputs[input].element_bytes;
    for (std::int32_t d = 0; d < max.rank; ++d) {
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(max.sizes[d]), &bytes)) {
        return 0;
      }
    }
    most = std::max(most, bytes);
  }
  return most;
}

} // namespace

Error report_output_copy(cudaError_t status, const Binding& output) {
  forget_cuda_error();
  return message::output_copy_failed(
      cudaGetErrorString(status), static_cast<int>(status), output.name);
}

Error stage_alias_output(const Engine& engine, const Binding& output, StreamWork& work) {
  const Binding& input = engine.inputs[static_cast<std::size_t>(output.alias)];
  Error error = Error::Ok;
  // The update went into an aligned copy of the caller's input.
  if (input.route == Route::kStagedOnDevice) {
    error = copy_out(input.caller, input, cudaMemcpyDeviceToDevice, work);
  }
  if (error == Error::Ok && output.bytes != 0 && output.caller != input.caller) {
    error = copy_out(output.caller, output, cudaMemcpyDefault, work);
  }
  return error;
}

void unpin_outputs(const Engine& engine) {
  for (const Binding& output : engine.outputs) {
    if (output.route == Route::kStagedThroughPinned) {
      std::memcpy(output.caller, output.pinned.data(), output.bytes);
    }
  }
}

Error reserve_staging(Engine& engine, bool is_host_resident) {
  if (!is_host_resident || engine.is_integrated) {
    return Error::Ok;
  }
  const auto reserve = [&engine](Binding& binding, std::size_t bytes) {
    if (gains_by_pinning(binding, bytes)) {
      (void)binding.pinned.reserve(bytes);
    }
    return engine.is_static || bytes <= kMostSpeculativeBytes
        ? binding.staging.reserve(bytes, engine.device)
        : Error::Ok;
  };
  Error error = Error::Ok;
  for (std::size_t i = 0; error == Error::Ok && i < engine.inputs.size(); ++i) {
    if (!engine.inputs[i].is_aliased) {
      error = reserve(engine.inputs[i], largest_bytes(engine, i));
    }
  }
  for (Binding& output : engine.outputs) {
    if (error == Error::Ok && output.alias < 0 && engine.has_shapes) {
      error = reserve(output, output.bytes);
    }
  }
  return error;
}

} // namespace executorch_backend_tensorrt
