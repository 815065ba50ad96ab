#include "common/device_buffer.h"

#include <utility>

namespace trtet {

DeviceBuffer::DeviceBuffer(const CudaApi& cuda, std::size_t size_bytes) : cuda_(&cuda), size_bytes_(size_bytes) {
  const std::size_t allocated_bytes = size_bytes == 0 ? 1 : size_bytes;
  cuda.check(cuda.malloc(&data_, allocated_bytes), "allocating device memory");
  const cudaError_t status = cuda.memset(data_, 0, allocated_bytes);
  if (status != cudaSuccess) {
    cuda.free(std::exchange(data_, nullptr));
    cuda.check(status, "zeroing device memory");
  }
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) cuda_->free(data_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : cuda_(other.cuda_), data_(std::exchange(other.data_, nullptr)), size_bytes_(other.size_bytes_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(cuda_, other.cuda_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

void copy_anywhere(const CudaApi& cuda, void* to, const void* from, std::size_t size_bytes) {
  if (size_bytes == 0) return;
  cuda.check(cuda.memcpy(to, from, size_bytes, cudaMemcpyDefault), "copying a tensor");
}

}  // namespace trtet
