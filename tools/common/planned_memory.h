// The memory a method plans for its intermediate values: each buffer on the device the program names, zeroed.
//
// Zeroed, because ExecuTorch drops the initial value of a buffer that a method changes (a KV cache): whoever owns
// the memory must give it one. ExecuTorch's own Module leaves device buffers as they come.
#pragma once

#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/method_meta.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "common/cuda_api.h"

namespace trtet {

class PlannedMemory {
 public:
  // `cuda` is borrowed and may be null when every buffer is on the host. Throws Failure naming buffer and device.
  PlannedMemory(const executorch::runtime::MethodMeta& meta, const CudaApi* cuda);
  PlannedMemory(const PlannedMemory&) = delete;
  PlannedMemory& operator=(const PlannedMemory&) = delete;

  // Borrowed from this object.
  executorch::runtime::HierarchicalAllocator* allocator() { return &*allocator_; }

 private:
  executorch::runtime::Span<std::uint8_t> add_host_buffer(std::size_t size_bytes);
  executorch::runtime::Span<std::uint8_t> add_device_buffer(const CudaApi* cuda, std::size_t size_bytes,
                                                            executorch::runtime::etensor::Device device);

  std::vector<std::vector<std::uint8_t>> host_buffers_;
  std::vector<executorch::runtime::DeviceMemoryBuffer> device_buffers_;
  std::vector<executorch::runtime::Span<std::uint8_t>> spans_;
  std::vector<executorch::runtime::etensor::Device> devices_;
  std::optional<executorch::runtime::HierarchicalAllocator> allocator_;
};

}  // namespace trtet
