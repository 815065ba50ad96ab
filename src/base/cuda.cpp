#include "base/cuda.h"

#include "base/message.h"
#include "base/process_exit.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;
using executorch::runtime::Result;

namespace {

struct StatusRule {
  cudaError_t status;
  Error error;
};

// A status that is not here says that the device failed: Internal.
constexpr StatusRule kStatusRules[] = {
    {cudaErrorMemoryAllocation, Error::MemoryAllocationFailed},
    {cudaErrorNoDevice, Error::NotSupported},
    {cudaErrorInsufficientDriver, Error::NotSupported},
    {cudaErrorInitializationError, Error::NotSupported},
    {cudaErrorSystemDriverMismatch, Error::NotSupported},
    {cudaErrorSystemNotReady, Error::NotSupported},
    {cudaErrorCompatNotSupportedOnDevice, Error::NotSupported},
    {cudaErrorStubLibrary, Error::NotSupported},
    {cudaErrorDevicesUnavailable, Error::NotSupported},
    {cudaErrorDeviceNotLicensed, Error::NotSupported},
    {cudaErrorNoKernelImageForDevice, Error::NotSupported},
    {cudaErrorInvalidDevice, Error::InvalidArgument},
    {cudaErrorInvalidValue, Error::InvalidArgument},
    {cudaErrorInvalidResourceHandle, Error::InvalidArgument},
};

} // namespace

Error error_of(cudaError_t status) {
  if (status == cudaSuccess) {
    return Error::Ok;
  }
  for (const StatusRule& rule : kStatusRules) {
    if (rule.status == status) {
      return rule.error;
    }
  }
  return Error::Internal;
}

void forget_cuda_error() {
  (void)cudaGetLastError();
}

Error report_cuda(cudaError_t status, const char* call) {
  forget_cuda_error();
  (void)message::cuda_call_failed(call, cudaGetErrorString(status), static_cast<int>(status));
  return error_of(status);
}

Result<int> count_devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count <= 0) {
    forget_cuda_error();
    return message::no_usable_gpu(
        status == cudaSuccess ? "no GPU found" : cudaGetErrorString(status),
        static_cast<int>(status));
  }
  return count;
}

Result<DeviceScope> DeviceScope::enter(DeviceId device) {
  DeviceScope scope;
  const Error error = scope.change(device);
  if (error != Error::Ok) {
    return error;
  }
  return scope;
}

Error DeviceScope::change(DeviceId device) {
  int previous = 0;
  Error error = check_cuda(cudaGetDevice(&previous), "cudaGetDevice");
  // Never set what is current already: that would replace a green context with the primary one.
  if (error != Error::Ok || previous == index_of(device)) {
    return error;
  }
  error = check_cuda(cudaSetDevice(index_of(device)), "cudaSetDevice");
  if (error == Error::Ok) {
    previous_ = previous;
  }
  return error;
}

void DeviceScope::restore() {
  (void)check_cuda(cudaSetDevice(previous_), "cudaSetDevice, restoring the caller's device");
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr && !process_is_exiting()) {
    (void)check_cuda(cudaFree(data_), "cudaFree");
  }
}

Error DeviceMemory::reserve(std::size_t bytes, DeviceId device) {
  if (bytes <= bytes_) {
    return Error::Ok;
  }
  DeviceMemory grown;
  const cudaError_t status = cudaMalloc(&grown.data_, bytes);
  if (status != cudaSuccess) {
    forget_cuda_error();
    grown.data_ = nullptr;
    return message::device_memory_refused(
        bytes, index_of(device), cudaGetErrorString(status), static_cast<int>(status));
  }
  grown.bytes_ = bytes;
  *this = std::move(grown);
  return Error::Ok;
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr && !process_is_exiting()) {
    (void)check_cuda(cudaFreeHost(data_), "cudaFreeHost");
  }
}

bool PinnedMemory::grow(std::size_t bytes) {
  if (was_refused_) {
    return false;
  }
  PinnedMemory grown;
  // Portable: a loaded program may be called with any GPU current.
  if (cudaHostAlloc(&grown.data_, bytes, cudaHostAllocPortable) != cudaSuccess) {
    forget_cuda_error();
    grown.data_ = nullptr;
    was_refused_ = true;
    return false;
  }
  grown.bytes_ = bytes;
  *this = std::move(grown);
  return true;
}

} // namespace executorch_backend_tensorrt
