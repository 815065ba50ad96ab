// Device memory owned by this tool, and copies that do not care where a pointer lives.
#pragma once

#include <cstddef>

#include "common/cuda_api.h"

namespace trtet {

// A zeroed block on the current device, freed by the destructor.
class DeviceBuffer {
 public:
  // Throws Failure when the memory cannot be had. Zero bytes allocate one.
  DeviceBuffer(const CudaApi& cuda, std::size_t size_bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  void* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  const CudaApi* cuda_;   // borrowed from RuntimeLibraries, which live until the process ends
  void* data_ = nullptr;  // owned; null after a move
  std::size_t size_bytes_;
};

// Copies `size_bytes`; either side may be host or device memory. Throws Failure.
void copy_anywhere(const CudaApi& cuda, void* to, const void* from, std::size_t size_bytes);

}  // namespace trtet
