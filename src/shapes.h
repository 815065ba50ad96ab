#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

#include "engine.h"
#include "stream_work.h"

namespace executorch_backend_tensorrt {

/// Checks the arguments and makes TensorRT's shapes those of the inputs: dtype, layout, rank and
/// bounds, profile; resizes the outputs to what TensorRT infers, except that a 0-d output and a
/// shape of one element fit each other as they are. Calls TensorRT only when a shape differs from
/// the last call's. `args`: one for each binding. Errors: InvalidArgument naming tensor, seen and
/// wanted; InvalidProgram for shapes that only running would tell.
executorch::runtime::Error adopt_shapes(
    executorch::runtime::Span<executorch::runtime::EValue*> args, Engine& engine, StreamWork& work);

/// Gives TensorRT the largest shapes of profile 0, so that static engines need no shapes in execute
/// and staging can be reserved. Leaves the engine without shapes where they are not to be had.
/// Errors: InvalidProgram.
executorch::runtime::Error prime_shapes(Engine& engine);

} // namespace executorch_backend_tensorrt
