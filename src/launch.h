#pragma once

#include <mutex>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/span.h>

#include "engine.h"
#include "graph_cache.h"

namespace executorch_backend_tensorrt {

/// One loaded program part; owned by ExecuTorch between init and destroy.
struct Program {
  std::mutex mutex; ///< held for a whole call: calls of one program run one after another
  Engine engine;
  GraphCache graphs;
};

/// One call of the program on the caller's stream: shapes, buffers, launch, copies, wait. `args`:
/// the inputs, then the outputs. Returns when nothing of the call is on the stream any more and the
/// caller's GPU is current again, also after an error.
/// Errors: InvalidArgument, MemoryAllocationFailed, InvalidState (launch refused), Internal.
executorch::runtime::Error run_program(
    executorch::runtime::Span<executorch::runtime::EValue*> args,
    executorch::runtime::EventTracer* tracer,
    Program& program);

} // namespace executorch_backend_tensorrt
