#pragma once

#include <executorch/runtime/core/error.h>

#include "engine.h"
#include "metadata.h"

namespace executorch_backend_tensorrt {

/// Fills bindings, bounds and aliases of `engine` in the metadata's argument order and checks that
/// the metadata and TensorRT tell the same. Errors: InvalidProgram, naming which disagrees.
executorch::runtime::Error bind_metadata(const Metadata& metadata, Engine& engine);

} // namespace executorch_backend_tensorrt
