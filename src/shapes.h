#pragma once

#include <cuda_runtime_api.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

#include "engine.h"

namespace executorch_backend_tensorrt {

/// A call's work on its stream. Once `is_queued` the stream must be waited for before returning.
struct StreamWork {
  cudaStream_t stream = nullptr;
  bool is_queued = false;
};

/// Checks the inputs and makes TensorRT's shapes theirs: dtype, layout, rank and bounds, profile,
/// inferred outputs. Calls TensorRT only when a shape differs from the last call's.
/// `args` begins with the inputs. Errors: InvalidArgument naming tensor, seen and wanted;
/// InvalidProgram for shapes that only running would tell. After an error the engine has no shapes.
executorch::runtime::Error update_shapes(
    executorch::runtime::Span<executorch::runtime::EValue*> args, Engine& engine, StreamWork& work);

/// Gives TensorRT the largest shapes of profile 0, so that static engines need no shapes in execute
/// and staging can be reserved. Leaves the engine without shapes where they are not to be had.
/// Errors: InvalidProgram.
executorch::runtime::Error prime_shapes(Engine& engine);

/// Checks the outputs (behind the inputs in `args`) and gives them TensorRT's shapes. A 0-d output
/// and a shape of one element fit each other as they are. Errors: InvalidArgument.
executorch::runtime::Error resize_outputs(
    executorch::runtime::Span<executorch::runtime::EValue*> args, Engine& engine);

} // namespace executorch_backend_tensorrt
