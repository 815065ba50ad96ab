#include "cuda_link.h"

#include "standins/cuda_control.h"

// Weak: null under the real runtime, which has none of them.
extern "C" {
__attribute__((weak)) void standin_cuda_enter_library(void);
__attribute__((weak)) void standin_cuda_leave_library(void);
__attribute__((weak)) void* standin_cuda_host_range(const void*, size_t);
__attribute__((weak)) void standin_cuda_raise(int);
__attribute__((weak)) uint64_t standin_cuda_misuse_count(void);
}

namespace standins::cuda {

LibraryScope::LibraryScope() {
  if (standin_cuda_enter_library != nullptr) standin_cuda_enter_library();
}
LibraryScope::~LibraryScope() {
  if (standin_cuda_leave_library != nullptr) standin_cuda_leave_library();
}

int current_device() {
  const LibraryScope scope;
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

bool is_capturing(cudaStream_t stream) {
  const LibraryScope scope;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

cudaError_t synchronize(cudaStream_t stream) {
  const LibraryScope scope;
  return cudaStreamSynchronize(stream);
}

std::string describe(cudaError_t error) {
  const LibraryScope scope;
  return "Cuda Runtime (" + std::string(cudaGetErrorString(error)) + ")";
}

void* host_range(void* device_ptr, std::size_t bytes, bool& is_first_fault) {
  if (standin_cuda_host_range == nullptr) return nullptr;
  const uint64_t before = standin_cuda_misuse_count();
  void* const view = standin_cuda_host_range(device_ptr, bytes);
  is_first_fault = view == nullptr && standin_cuda_misuse_count() != before;
  return view;
}

void raise(cudaError_t error) {
  if (standin_cuda_raise != nullptr) standin_cuda_raise(error);
}

cudaError_t DeviceBlock::allocate(std::size_t bytes) {
  reset();
  if (bytes == 0) return cudaSuccess;
  const LibraryScope scope;
  const cudaError_t error = cudaMalloc(&pointer_, bytes);
  bytes_ = error == cudaSuccess ? bytes : 0;
  return error;
}

cudaError_t copy_to_device(void* device_ptr, const void* host, std::size_t bytes) {
  const LibraryScope scope;
  return bytes == 0 ? cudaSuccess : cudaMemcpy(device_ptr, host, bytes, cudaMemcpyHostToDevice);
}

void DeviceBlock::reset() {
  if (pointer_ == nullptr) return;
  const LibraryScope scope;
  cudaFree(pointer_);
  pointer_ = nullptr;
  bytes_ = 0;
}

}  // namespace standins::cuda
