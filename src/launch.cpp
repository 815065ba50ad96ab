#include "launch.h"

#include <mutex>

#include "arguments.h"
#include "base/message.h"
#include "placement.h"
#include "profiling.h"
#include "shapes.h"
#include "staging.h"
#include "stream_work.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::EventTracer;
using executorch::runtime::Span;

namespace {

[[gnu::noinline]] Error set_address(nvinfer1::IExecutionContext& context, Binding& binding) {
  binding.address = nullptr;
  if (!context.setTensorAddress(binding.name, binding.place)) {
    return message::address_refused(binding.name);
  }
  binding.address = binding.place;
  return Error::Ok;
}

void use_activation(Engine& engine) {
  const DeviceMemory& memory = engine.activation.memory();
  if (engine.activation_address != memory.data()) {
    engine.context->setDeviceMemoryV2(memory.data(), static_cast<std::int64_t>(memory.bytes()));
    engine.activation_address = memory.data();
  }
}

Error enqueue(Engine& engine, GraphCache& graphs, StreamWork& work) {
  Error error = Error::Ok;
  for (Binding& binding : engine.all()) {
    if (binding.address != binding.place) {
      error = set_address(*engine.context, binding);
      if (error != Error::Ok) {
        return error;
      }
    }
  }
  if (engine.activation.is_shared()) {
    use_activation(engine);
  }
  work.is_queued = true;
  if (graphs.is_enabled()) {
    error = graphs.launch(engine, work.stream);
  } else if (!engine.context->enqueueV3(work.stream)) {
    error = message::launch_refused();
  }
  if (error != Error::Ok) {
    engine.activation_address = nullptr; // setDeviceMemoryV2 does not say whether it worked
  }
  return error;
}

Error wait(StreamWork& work) {
  const cudaError_t status = cudaStreamSynchronize(work.stream);
  work.is_queued = false;
  if (status == cudaSuccess) {
    return Error::Ok;
  }
  forget_cuda_error();
  return message::wait_failed(cudaGetErrorString(status), static_cast<int>(status));
}

template <bool kIsTraced>
Error bind(Span<EValue*> args, EventTracer* tracer, Engine& engine, StreamWork& work) {
  const Phase<kIsTraced> phase(tracer, "bind");
  bool is_checked = false; // all arguments against the shapes that they ask for
  EValue* const* value = args.data();
  for (Binding& binding : engine.all()) {
    if (!is_checked && !(engine.has_shapes && is_as_before(*value, binding))) {
      const Error error = adopt_shapes(args, engine, work);
      if (error != Error::Ok) {
        return error;
      }
      is_checked = true;
    }
    const Error error = place((*value++)->payload.as_tensor.mutable_data_ptr(), engine, binding);
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

// Everything of a call but the draining of its stream after an error.
template <bool kIsTraced>
Error run(
    Span<EValue*> args, EventTracer* tracer, Engine& engine, GraphCache& graphs, StreamWork& work) {
  Error error = bind<kIsTraced>(args, tracer, engine, work);
  if (error == Error::Ok) {
    const Phase<kIsTraced> phase(tracer, "stage inputs");
    error = stage_inputs(engine, work);
  }
  if (error == Error::Ok) {
    const Phase<kIsTraced> phase(tracer, "enqueue");
    error = enqueue(engine, graphs, work);
  }
  if (error == Error::Ok) {
    const Phase<kIsTraced> phase(tracer, "stage outputs");
    error = stage_outputs(engine, work);
  }
  if (error == Error::Ok) {
    const Phase<kIsTraced> phase(tracer, "wait");
    error = wait(work);
  }
  if (error == Error::Ok && work.has_pinned_outputs) {
    unpin_outputs(engine);
  }
  return error;
}

// The error is known and reported; the stream only must be idle before anything is reused.
[[gnu::cold, gnu::noinline]] Error drain(Error error, const StreamWork& work) {
  if (work.is_queued && cudaStreamSynchronize(work.stream) != cudaSuccess) {
    forget_cuda_error();
  }
  return error;
}

// A tracer is the caller's own code: what it throws must not leave work behind either.
[[gnu::noinline]] Error run_traced(
    Span<EValue*> args, EventTracer* tracer, Engine& engine, GraphCache& graphs, StreamWork& work) {
  try {
    return run<true>(args, tracer, engine, graphs, work);
  } catch (...) {
    (void)drain(Error::Internal, work);
    throw;
  }
}

} // namespace

// Flattened: an eighth of the delegate's own instructions would go into calling its parts.
[[gnu::flatten]] Error run_program(Span<EValue*> args, EventTracer* tracer, Program& program) {
  const std::lock_guard<std::mutex> lock(program.mutex);
  Engine& engine = program.engine;
  if (args.size() != engine.bindings.size()) {
    return message::argument_count(args.size(), engine.inputs.size(), engine.outputs.size());
  }
  DeviceScope scope;
  if (!engine.is_only_device) {
    const Error error = scope.change(engine.device);
    if (error != Error::Ok) {
      return error;
    }
  }
  forget_tensorrt_error();
  StreamWork work{stream_of_this_thread()};
  std::unique_lock<std::mutex> turn;
  if (engine.activation.is_shared()) {
    turn = engine.activation.take_turn();
  }
  const Error error = tracer == nullptr ? run<false>(args, tracer, engine, program.graphs, work)
                                        : run_traced(args, tracer, engine, program.graphs, work);
  return error == Error::Ok ? error : drain(error, work);
}

} // namespace executorch_backend_tensorrt
