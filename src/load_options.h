#pragma once

#include <cstdint>
#include <optional>

#include <executorch/runtime/backend/interface.h>

#include "base/cuda.h"
#include "metadata.h"

namespace executorch_backend_tensorrt {

/// How one program is to be loaded: compile specs, load-time options and metadata, with precedence
/// settled (option, then compile spec, then metadata).
struct LoadOptions {
  DeviceId device{};
  bool is_device_chosen = false; ///< by the option, so ExecuTorch may have planned for another GPU
  bool is_device_tagged = false; ///< the program's buffers are planned in GPU memory
  std::optional<std::int64_t> weight_streaming_budget; ///< bytes >= 0; nothing: automatic
  bool shares_activation_memory = false;
  bool uses_cuda_graph = false;
  std::uint32_t alignment = 256; ///< bytes, a power of two
};

/// Errors: InvalidArgument (an option), InvalidProgram (a compile spec), naming the key.
executorch::runtime::Result<LoadOptions> read_load_options(
    executorch::runtime::Span<const executorch::runtime::BackendOption> options,
    executorch::runtime::ArrayRef<executorch::runtime::CompileSpec> specs,
    const Metadata& metadata);

} // namespace executorch_backend_tensorrt
