#include <memory>
#include <mutex>
#include <new>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>

#include "base/loaded_object.h"
#include "base/message.h"
#include "base/process_exit.h"
#include "blob.h"
#include "device_allocator.h"
#include "engine.h"
#include "executorch_backend_tensorrt/options.h"
#include "launch.h"
#include "load_options.h"
#include "metadata.h"
#include "shapes.h"
#include "staging.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::ArrayRef;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::CompileSpec;
using executorch::runtime::DelegateHandle;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Result;
using executorch::runtime::Span;

namespace {

// Before anything of TensorRT: without a driver its runtime factory returns an invalid pointer.
Result<DeviceScope> enter_device(const LoadOptions& options, int device_count) {
  if (index_of(options.device) >= device_count || index_of(options.device) >= kMaxDevices) {
    return options.is_device_chosen
        ? message::device_option_absent(index_of(options.device), device_count)
        : message::device_absent(index_of(options.device), device_count);
  }
  Result<DeviceScope> scope = DeviceScope::enter(options.device);
  if (!scope.ok()) {
    return scope;
  }
  // Makes CUDA set the GPU up now, so that one that cannot be used is refused here.
  const cudaError_t status = cudaFree(nullptr);
  if (status != cudaSuccess) {
    forget_cuda_error();
    return message::gpu_unusable(
        index_of(options.device), cudaGetErrorString(status), static_cast<int>(status));
  }
  return scope;
}

Result<std::unique_ptr<Program>> load(
    const Blob& blob, const Metadata& metadata, const LoadOptions& options, int device_count) {
  auto handle = std::make_unique<Program>();
  Result<Engine> engine = load_engine(blob.engine, metadata, options, device_count);
  if (!engine.ok()) {
    return engine.error();
  }
  handle->engine = std::move(engine.get());
  Error error = prime_shapes(handle->engine);
  if (error == Error::Ok) {
    error = reserve_staging(handle->engine, !options.is_device_tagged);
  }
  if (error != Error::Ok) {
    return error;
  }
  if (options.uses_cuda_graph) {
    handle->graphs.enable(handle->engine);
  }
  handle->engine.runtime.keep();
  return handle;
}

Result<DelegateHandle*> init_program(
    BackendInitContext& context, FreeableBuffer& processed, ArrayRef<CompileSpec> specs) {
  forget_tensorrt_error();
  const Result<const void*> bytes = processed.data_safe();
  if (!bytes.ok()) {
    return bytes.error();
  }
  const Result<Blob> blob =
      parse_blob({static_cast<const std::uint8_t*>(*bytes), processed.size()});
  if (!blob.ok()) {
    return blob.error();
  }
  const Result<Metadata> metadata = parse_metadata(blob->metadata);
  if (!metadata.ok()) {
    return metadata.error();
  }
  const Result<LoadOptions> options =
      read_load_options(context.runtime_specs(), specs, metadata.get());
  if (!options.ok()) {
    return options.error();
  }
  const Error major = check_tensorrt_major();
  if (major != Error::Ok) {
    return major;
  }
  const Result<int> device_count = count_devices();
  if (!device_count.ok()) {
    return device_count.error();
  }
  const Result<DeviceScope> scope = enter_device(options.get(), *device_count);
  if (!scope.ok()) {
    return scope.error();
  }
  watch_process_exit();
  Result<std::unique_ptr<Program>> handle =
      load(blob.get(), metadata.get(), options.get(), *device_count);
  if (!handle.ok()) {
    return handle.error();
  }
  processed.Free();
  return static_cast<DelegateHandle*>(handle.get().release());
}

// Nothing is in flight: every execute has waited.
void destroy_program(Program* handle) {
  std::unique_ptr<Program> owned(handle);
  if (owned == nullptr || process_is_exiting()) {
    return; // the owners inside call nothing while the process exits
  }
  const Result<DeviceScope> scope = DeviceScope::enter(owned->engine.device);
  owned.reset();
}

class TensorRTBackend final : public BackendInterface {
 public:
  bool is_available() const override {
    return is_registered_ && check_tensorrt_major() == Error::Ok;
  }

  Result<DelegateHandle*> init(
      BackendInitContext& context,
      FreeableBuffer* processed,
      ArrayRef<CompileSpec> compile_specs) const override try {
    return init_program(context, *processed, compile_specs);
  } catch (...) {
    return message::host_memory_refused();
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle, Span<EValue*> args)
      const override try {
    return run_program(args, context.event_tracer(), *static_cast<Program*>(handle));
  } catch (...) {
    return message::host_memory_refused();
  }

  void destroy(DelegateHandle* handle) const override try {
    destroy_program(static_cast<Program*>(handle));
  } catch (...) {
    (void)message::host_memory_refused();
  }

  void set_registered() { is_registered_ = true; }

 private:
  bool is_registered_ = false;
};

void register_backend_once() {
  executorch::runtime::runtime_init();
  // Never destroyed: ExecuTorch keeps the pointer for the process.
  alignas(TensorRTBackend) static unsigned char storage[sizeof(TensorRTBackend)];
  auto* backend = new (storage) TensorRTBackend();
  const BackendInterface* other = executorch::runtime::get_backend_class(kBackendName);
  if (other != nullptr) {
    // An object's first word points into the library that holds its class.
    const void* first_word = *reinterpret_cast<const void* const*>(other);
    (void)message::registered_twice(find_object_of(first_word).text, find_object_of(storage).text);
    return;
  }
  if (executorch::runtime::register_backend({kBackendName, backend}) != Error::Ok) {
    (void)message::registration_refused();
    return;
  }
  backend->set_registered();
  register_device_allocator_if_absent();
}

[[maybe_unused]] const bool kIsRegistered = (register_backend_once(), true);

} // namespace
} // namespace executorch_backend_tensorrt
