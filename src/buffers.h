#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/span.h>

#include "engine.h"
#include "stream_work.h"

namespace executorch_backend_tensorrt {

/// Decides for every binding where the engine finds it: the caller's buffer in place, a device
/// buffer of the handle, or the storage of an aliased input. One pointer query per caller buffer;
/// queues nothing. Errors: InvalidArgument naming the tensor; MemoryAllocationFailed.
executorch::runtime::Error place_buffers(
    executorch::runtime::Span<executorch::runtime::EValue*> args, Engine& engine);

/// Queues the copies of staged inputs. Errors: as CUDA's.
executorch::runtime::Error stage_inputs(Engine& engine, StreamWork& work);

/// Queues the copies of staged outputs and of aliased outputs that have a buffer of their own.
/// Errors: Internal.
executorch::runtime::Error stage_outputs(Engine& engine, StreamWork& work);

/// Copies outputs that came by way of pinned memory to the caller; the stream must have been waited
/// for.
void unpin_outputs(const Engine& engine);

/// Makes room for host-resident callers at the largest shapes, so that execute allocates nothing;
/// a very large tensor of dynamic shape grows on first use instead.
/// Errors: MemoryAllocationFailed; InvalidProgram when TensorRT takes not even those shapes.
executorch::runtime::Error reserve_staging(Engine& engine, bool is_host_resident);

} // namespace executorch_backend_tensorrt
