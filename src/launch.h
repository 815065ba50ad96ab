#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/span.h>

#include "engine.h"
#include "graph_cache.h"

namespace executorch_backend_tensorrt {

/// One call of the engine on the caller's stream: shapes, buffers, launch, copies, wait. `args` are
/// the inputs and the outputs, as many as the engine has. The engine's GPU must be current.
/// Returns when nothing of the call is on the stream any more, also after an error.
/// Errors: InvalidArgument, MemoryAllocationFailed, InvalidState (launch refused), Internal.
executorch::runtime::Error run_engine(
    executorch::runtime::Span<executorch::runtime::EValue*> args,
    executorch::runtime::EventTracer* tracer,
    Engine& engine,
    GraphCache& graphs);

} // namespace executorch_backend_tensorrt
