#include "placement.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;

namespace {

Error report_other_gpu(const Engine& engine, const Binding& binding, int where) {
  const int own = index_of(engine.device);
  return engine.is_device_chosen
      ? message::buffer_other_gpu_chosen(binding.direction(), where, own, binding.name)
      : message::buffer_other_gpu(binding.direction(), where, own, binding.name);
}

} // namespace

// A thread that has used no GPU yet has no context, and then no device memory seems usable from it.
Error locate_unusable(
    const Engine& engine, const Binding& binding, cudaPointerAttributes& attributes) {
  if (attributes.device == index_of(engine.device)) {
    Error error = check_cuda(cudaFree(nullptr), "cudaFree, to open the GPU's context");
    if (error == Error::Ok) {
      error = check_cuda(
          cudaPointerGetAttributes(&attributes, binding.caller), "cudaPointerGetAttributes");
    }
    if (error != Error::Ok) {
      return error;
    }
  }
  // Still null for another GPU's memory that no peer mapping opens to this one.
  return attributes.devicePointer != nullptr ? Error::Ok
                                             : report_other_gpu(engine, binding, attributes.device);
}

Error stage_unaligned(const Engine& engine, Binding& binding) {
  if (!binding.is_alignment_told) {
    binding.is_alignment_told = true;
    (void)message::buffer_alignment(
        binding.direction(), engine.alignment_mask + 1, binding.bytes, binding.name);
  }
  return stage(engine, binding, Route::kStagedOnDevice);
}

Error place_without_buffer(const Engine& engine, Binding& binding) {
  if (binding.bytes != 0) {
    return message::buffer_null(binding.direction(), binding.bytes, binding.name);
  }
  binding.route = Route::kInPlace;
  binding.place = engine.scratch.data();
  return Error::Ok;
}

// Lives in its input's storage; the caller's own buffer, if another, is only copied to.
Error place_alias(const Engine& engine, Binding& output) {
  const Binding& input = engine.inputs[static_cast<std::size_t>(output.alias)];
  output.place = input.place;
  output.route = Route::kInPlace;
  if (output.bytes == 0 || output.caller == input.caller) {
    return Error::Ok;
  }
  if (output.caller == nullptr) {
    return message::buffer_null("output", output.bytes, output.name);
  }
  Location location{};
  return locate(engine, output, location);
}

} // namespace executorch_backend_tensorrt
