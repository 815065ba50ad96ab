#include "buffer.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

#include <cuda_runtime_api.h>

namespace contract {
namespace {

constexpr size_t kHostAlignment = 256;

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string("rig: ") + what + ": " + cudaGetErrorString(status));
  }
}

// Makes a GPU current for one scope of the rig.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    require(cudaGetDevice(&before_), "cudaGetDevice");
    require(cudaSetDevice(device), "cudaSetDevice");
  }
  ~OnDevice() { (void)cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

std::string name_of(Place place) {
  switch (place) {
    case Place::kPageable:
      return "pageable";
    case Place::kPinned:
      return "pinned";
    case Place::kManaged:
      return "managed";
    case Place::kDevice:
      return "device";
  }
  return "unknown";
}

Buffer::Buffer(Place place, size_t bytes, int device, size_t offset)
    : place_(place), bytes_(bytes), device_(device), offset_(offset) {
  const size_t total = std::max<size_t>(bytes + offset, 1);
  if (place == Place::kPageable) {
    const size_t rounded = (total + kHostAlignment - 1) / kHostAlignment * kHostAlignment;
    base_ = std::aligned_alloc(kHostAlignment, rounded);
    if (base_ == nullptr) {
      throw std::bad_alloc();
    }
    return;
  }
  const OnDevice scope(device);
  switch (place) {
    case Place::kPinned:
      require(cudaMallocHost(&base_, total), "cudaMallocHost");
      break;
    case Place::kManaged:
      require(cudaMallocManaged(&base_, total, cudaMemAttachGlobal), "cudaMallocManaged");
      break;
    default:
      require(cudaMalloc(&base_, total), "cudaMalloc");
  }
}

Buffer::Buffer(Buffer&& other) noexcept
    : place_(other.place_),
      bytes_(other.bytes_),
      device_(other.device_),
      offset_(other.offset_),
      base_(std::exchange(other.base_, nullptr)) {}

Buffer::~Buffer() {
  if (base_ == nullptr) {
    return;
  }
  if (place_ == Place::kPageable) {
    std::free(base_);
  } else if (place_ == Place::kPinned) {
    (void)cudaFreeHost(base_);
  } else {
    const OnDevice scope(device_);
    (void)cudaFree(base_);
  }
}

void Buffer::upload(const void* host_source, size_t bytes) {
  if (bytes > bytes_) {
    throw std::out_of_range("rig: upload past the end of a buffer");
  }
  if (bytes == 0) {
    return;
  }
  if (place_ != Place::kDevice) {
    std::memcpy(data(), host_source, bytes);
    return;
  }
  const OnDevice scope(device_);
  require(cudaMemcpy(data(), host_source, bytes, cudaMemcpyHostToDevice), "upload");
  // A copy of pageable memory may return while its last part is still on the way.
  require(cudaStreamSynchronize(cudaStreamLegacy), "waiting for the upload");
}

void Buffer::download(void* host_target, size_t bytes) const {
  if (bytes > bytes_) {
    throw std::out_of_range("rig: download past the end of a buffer");
  }
  if (bytes == 0) {
    return;
  }
  if (place_ != Place::kDevice) {
    std::memcpy(host_target, data(), bytes);
    return;
  }
  const OnDevice scope(device_);
  require(cudaMemcpy(host_target, data(), bytes, cudaMemcpyDeviceToHost), "download");
}

}  // namespace contract
