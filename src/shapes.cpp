#include "shapes.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "arguments.h"
#include "base/message.h"
#include "profiles.h"

namespace executorch_backend_tensorrt {

using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Span;

namespace {

bool are_equal(const Shape& a, const Shape& b) {
  if (a.rank != b.rank) {
    return false;
  }
  for (std::int32_t d = 0; d < a.rank; ++d) {
    if (a.sizes[d] != b.sizes[d]) {
      return false;
    }
  }
  return true;
}

// False when the bytes do not fit 63 bits.
bool set_shape(const Shape& shape, Binding& binding) {
  std::uint64_t bytes = binding.element_bytes;
  for (std::int32_t d = 0; d < shape.rank; ++d) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(shape.sizes[d]), &bytes) ||
        bytes > INT64_MAX) {
      return false;
    }
  }
  binding.shape = shape;
  binding.bytes = bytes;
  binding.gains_by_pinning = gains_by_pinning(binding, bytes);
  // A product that leaves 32 bits belongs to no tensor of ExecuTorch and only fails to compare.
  std::uint32_t stride = 1;
  for (std::int32_t d = shape.rank; d-- > 0;) {
    binding.strides[d] = static_cast<std::int32_t>(stride);
    stride *= static_cast<std::uint32_t>(shape.sizes[d]);
  }
  return true;
}

Error set_input_shape(Engine& engine, Binding& input) {
  nvinfer1::Dims dims{};
  dims.nbDims = input.wanted.rank;
  for (std::int32_t d = 0; d < dims.nbDims; ++d) {
    dims.d[d] = input.wanted.sizes[d];
  }
  if (!engine.context->setInputShape(input.name, dims)) {
    return message::input_shape_refused(input.name);
  }
  return set_shape(input.wanted, input) ? Error::Ok : message::argument_too_large(input.name);
}

// What came of asking TensorRT for the outputs' shapes.
struct Inference {
  enum Outcome { kDone, kFailed, kUnresolved, kTooLarge } outcome;
  const char* name; // of the tensor concerned
};

Inference read_output_shape(const Engine& engine, Binding& output) {
  const nvinfer1::Dims dims = engine.context->getTensorShape(output.name);
  if (dims.nbDims < 0 || dims.nbDims > kMaxRank) {
    return {Inference::kFailed, output.name};
  }
  Shape shape;
  shape.rank = dims.nbDims;
  for (std::int32_t d = 0; d < dims.nbDims; ++d) {
    if (dims.d[d] < 0 || dims.d[d] > INT32_MAX) {
      return {dims.d[d] < 0 ? Inference::kUnresolved : Inference::kTooLarge, output.name};
    }
    shape.sizes[d] = static_cast<std::int32_t>(dims.d[d]);
  }
  return {set_shape(shape, output) ? Inference::kDone : Inference::kTooLarge, output.name};
}

Inference infer_outputs(Engine& engine) {
  const char* unresolved[1] = {nullptr};
  const std::int32_t count = engine.context->inferShapes(1, unresolved);
  if (count != 0) {
    const char* name = unresolved[0] != nullptr ? unresolved[0] : "(unnamed)";
    return {count < 0 ? Inference::kFailed : Inference::kUnresolved, name};
  }
  for (Binding& output : engine.outputs) {
    const Inference inference = read_output_shape(engine, output);
    if (inference.outcome != Inference::kDone) {
      return inference;
    }
  }
  return {Inference::kDone, nullptr};
}

Error report_inference(const Inference& inference) {
  switch (inference.outcome) {
    case Inference::kDone:
      return Error::Ok;
    case Inference::kUnresolved:
      return message::output_data_dependent(inference.name);
    case Inference::kTooLarge:
      return message::argument_too_large(inference.name);
    default:
      return message::infer_failed(inference.name);
  }
}

// Rank first: bounds are compared dimension by dimension afterwards.
Error want_shape(const Tensor& tensor, Binding& input, std::int32_t rank) {
  const auto sizes = tensor.sizes();
  if (static_cast<std::int32_t>(sizes.size()) != rank) {
    return message::input_rank(sizes.size(), rank, input.name);
  }
  input.wanted.rank = rank;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    input.wanted.sizes[d] = sizes[d];
  }
  return Error::Ok;
}

Error resize_output(const Binding& output, const Tensor& tensor) {
  const std::size_t rank = static_cast<std::size_t>(output.shape.rank);
  const bool is_one_element = output.bytes == output.element_bytes && tensor.numel() == 1;
  if (is_one_element && (tensor.dim() == 0 || rank == 0)) {
    return Error::Ok;
  }
  const Error error = executorch::runtime::resize_tensor(
      tensor, executorch::aten::ArrayRef<executorch::aten::SizesType>(output.shape.sizes, rank));
  if (error == Error::Ok) {
    return Error::Ok;
  }
  return message::output_resize(
      static_cast<long long>(tensor.numel()),
      static_cast<std::int16_t>(tensor.dim()),
      output.bytes / output.element_bytes,
      static_cast<std::int16_t>(output.shape.rank),
      output.name);
}

Error set_input_shapes(Engine& engine, bool had_shapes) {
  for (Binding& input : engine.inputs) {
    if (!(had_shapes && are_equal(input.shape, input.wanted))) {
      const Error error = set_input_shape(engine, input);
      if (error != Error::Ok) {
        return error;
      }
    }
  }
  return Error::Ok;
}

Error apply_wanted_shapes(Engine& engine, StreamWork& work) {
  const int profile = find_profile(engine);
  if (profile < 0) {
    return report_no_profile(engine);
  }
  const bool had_shapes = engine.has_shapes;
  engine.has_shapes = false;
  Error error = use_profile(profile, engine, work);
  if (error == Error::Ok) {
    error = set_input_shapes(engine, had_shapes);
  }
  if (error == Error::Ok) {
    error = report_inference(infer_outputs(engine));
  }
  engine.has_shapes = error == Error::Ok;
  return error;
}

// Element counts of dynamic engines may have no sensible upper bound.
bool wants_addressable_shapes(const Engine& engine) {
  Binding probe;
  for (const Binding& input : engine.inputs) {
    probe.element_bytes = input.element_bytes;
    if (!set_shape(input.wanted, probe)) {
      return false;
    }
  }
  return true;
}

Error adopt_input_shapes(Span<EValue*> args, Engine& engine, StreamWork& work) {
  bool is_changed = !engine.has_shapes;
  for (std::size_t i = 0; i < engine.inputs.size(); ++i) {
    const Error error = check_tensor(args[i], engine.inputs[i]);
    if (error != Error::Ok) {
      return error;
    }
    is_changed |= !has_shape(args[i]->payload.as_tensor, engine.inputs[i].shape);
  }
  if (!is_changed) {
    return Error::Ok;
  }
  for (std::size_t i = 0; i < engine.inputs.size(); ++i) {
    const Error error =
        want_shape(args[i]->payload.as_tensor, engine.inputs[i], engine.bounds_of(0, i).min.rank);
    if (error != Error::Ok) {
      return error;
    }
  }
  return apply_wanted_shapes(engine, work);
}

Error resize_outputs(Span<EValue*> args, Engine& engine) {
  for (std::size_t i = 0; i < engine.outputs.size(); ++i) {
    const EValue* value = args[engine.inputs.size() + i];
    Error error = check_tensor(value, engine.outputs[i]);
    if (error == Error::Ok && !has_shape(value->payload.as_tensor, engine.outputs[i].shape)) {
      error = resize_output(engine.outputs[i], value->payload.as_tensor);
    }
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

} // namespace

Error prime_shapes(Engine& engine) {
  for (std::size_t i = 0; i < engine.inputs.size(); ++i) {
    engine.inputs[i].wanted = engine.bounds_of(0, i).max;
  }
  if (!wants_addressable_shapes(engine)) {
    return Error::Ok;
  }
  const Error error = set_input_shapes(engine, false);
  if (error != Error::Ok) {
    return Error::InvalidProgram;
  }
  const Inference inference = infer_outputs(engine);
  engine.has_shapes = inference.outcome == Inference::kDone;
  if (inference.outcome != Inference::kFailed) {
    return Error::Ok;
  }
  (void)report_inference(inference);
  return Error::InvalidProgram;
}

Error adopt_shapes(Span<EValue*> args, Engine& engine, StreamWork& work) {
  const Error error = adopt_input_shapes(args, engine, work);
  return error == Error::Ok ? resize_outputs(args, engine) : error;
}

} // namespace executorch_backend_tensorrt
