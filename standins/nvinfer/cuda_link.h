// The CUDA runtime as TensorRT uses it. Under the CUDA stand-in these calls are TensorRT's own, so
// they are neither counted nor failed; under the real runtime there is nothing to tell.
#ifndef STANDINS_NVINFER_CUDA_LINK_H_
#define STANDINS_NVINFER_CUDA_LINK_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace standins::cuda {

class LibraryScope {
 public:
  LibraryScope();
  ~LibraryScope();
  LibraryScope(const LibraryScope&) = delete;
  LibraryScope& operator=(const LibraryScope&) = delete;
};

// Current device of this thread, -1 when there is none.
int current_device();
bool is_capturing(cudaStream_t stream);
cudaError_t synchronize(cudaStream_t stream);
// With the error's own words.
std::string describe(cudaError_t error);

// The view that stream work has of device memory. Null when that GPU cannot reach all of it, which
// is then `is_first_fault`, or has failed before.
void* host_range(void* device_ptr, std::size_t bytes, bool& is_first_fault);
// From inside stream work: the GPU fails from now on.
void raise(cudaError_t error);

cudaError_t copy_to_device(void* device_ptr, const void* host, std::size_t bytes);

// Device memory of one owner. Freed with the device it came from current, as TensorRT does.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  ~DeviceBlock() { reset(); }
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  // Frees what was held. Zero bytes hold nothing.
  cudaError_t allocate(std::size_t bytes);
  void reset();
  void* get() const { return pointer_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* pointer_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace standins::cuda

#endif  // STANDINS_NVINFER_CUDA_LINK_H_
