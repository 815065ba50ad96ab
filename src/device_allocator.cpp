#include "device_allocator.h"

#include <cstdint>
#include <new>

#include <executorch/runtime/core/device_allocator.h>

#include "base/cuda.h"
#include "base/message.h"
#include "base/process_exit.h"
#include "stream_work.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::DeviceAllocator;
using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::etensor::DeviceIndex;
using executorch::runtime::etensor::DeviceType;

namespace {

// Ordered on the stream that the delegate uses on this thread. The kind is left to CUDA: a loader
// may have planned device-tagged memory on the host.
Error queue_copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

Error wait(cudaStream_t stream) {
  return check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

// CUDA has taken the bytes of pageable memory when the call returns; what reads the device memory
// next, the delegate or a copy back, is on the same stream behind it and waits itself.
bool may_leave_queued(const void* to, const void* from) {
  cudaPointerAttributes source;
  cudaPointerAttributes target;
  const bool is_known = cudaPointerGetAttributes(&source, from) == cudaSuccess &&
      cudaPointerGetAttributes(&target, to) == cudaSuccess;
  if (!is_known) {
    forget_cuda_error();
  }
  return is_known && source.type == cudaMemoryTypeUnregistered &&
      target.type == cudaMemoryTypeDevice;
}

class CudaAllocator final : public DeviceAllocator {
 public:
  Result<void*> allocate(std::size_t bytes, DeviceIndex index, std::size_t alignment) override {
    const Result<int> count = count_devices();
    if (!count.ok()) {
      return count.error();
    }
    watch_process_exit();
    if (index < 0 || index >= *count) {
      return message::device_absent(index, *count);
    }
    const DeviceId device = static_cast<DeviceId>(index);
    const Result<DeviceScope> scope = DeviceScope::enter(device);
    if (!scope.ok()) {
      return scope.error();
    }
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, bytes == 0 ? 1 : bytes);
    if (status != cudaSuccess) {
      forget_cuda_error();
      return message::device_memory_refused(
          bytes, index, cudaGetErrorString(status), static_cast<int>(status));
    }
    if ((reinterpret_cast<std::uintptr_t>(data) & (alignment - 1)) != 0) {
      (void)check_cuda(cudaFree(data), "cudaFree");
      return message::device_memory_alignment(alignment);
    }
    return data;
  }

  void deallocate(void* data, DeviceIndex) override {
    if (data != nullptr && !process_is_exiting()) {
      (void)check_cuda(cudaFree(data), "cudaFree");
    }
  }

  Error copy_host_to_device(void* to, const void* from, std::size_t bytes, DeviceIndex) override {
    if (bytes == 0) {
      return Error::Ok;
    }
    const cudaStream_t stream = stream_of_this_thread();
    const Error error = queue_copy(to, from, bytes, stream);
    if (error == Error::Ok && may_leave_queued(to, from)) {
      return Error::Ok;
    }
    const Error waited = wait(stream);
    return error != Error::Ok ? error : waited;
  }

  Error copy_device_to_host(void* to, const void* from, std::size_t bytes, DeviceIndex) override {
    if (bytes == 0) {
      return Error::Ok;
    }
    const cudaStream_t stream = stream_of_this_thread();
    const Error error = queue_copy(to, from, bytes, stream);
    const Error waited = wait(stream);
    return error != Error::Ok ? error : waited;
  }

  DeviceType device_type() const override { return DeviceType::CUDA; }
};

} // namespace

void register_device_allocator_if_absent() {
  // A second registration for a device type aborts the process.
  if (executorch::runtime::get_device_allocator(DeviceType::CUDA) != nullptr) {
    return;
  }
  // Never destroyed: ExecuTorch keeps the pointer for the process.
  alignas(CudaAllocator) static unsigned char storage[sizeof(CudaAllocator)];
  executorch::runtime::register_device_allocator(new (storage) CudaAllocator());
}

} // namespace executorch_backend_tensorrt
