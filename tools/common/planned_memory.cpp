#include "common/planned_memory.h"

#include <algorithm>
#include <memory>

#include "common/failure.h"

namespace trtet {
namespace {

using executorch::runtime::DeviceMemoryBuffer;
using executorch::runtime::Error;
using executorch::runtime::Span;
using executorch::runtime::etensor::Device;
using executorch::runtime::etensor::DeviceType;

// What TensorRT documents for addresses; a less aligned tensor would go through a copy.
constexpr std::size_t kDeviceAlignment = 256;
constexpr std::size_t kHostAlignment = 64;

}  // namespace

PlannedMemory::PlannedMemory(const executorch::runtime::MethodMeta& meta, const CudaApi* cuda) {
  bool has_device = false;
  for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const auto size_bytes = meta.memory_planned_buffer_size(i);
    const auto device = meta.memory_planned_buffer_device(i);
    if (!size_bytes.ok() || !device.ok() || *size_bytes < 0)
      throw Failure("planned buffer " + std::to_string(i) + ": its size or device cannot be read");
    const bool is_host = device->type() == DeviceType::CPU;
    has_device = has_device || !is_host;
    devices_.push_back(*device);
    spans_.push_back(is_host ? add_host_buffer(static_cast<std::size_t>(*size_bytes))
                             : add_device_buffer(cuda, static_cast<std::size_t>(*size_bytes), *device));
  }
  const Span<Span<std::uint8_t>> spans(spans_.data(), spans_.size());
  if (has_device)
    allocator_.emplace(spans, Span<const Device>(devices_.data(), devices_.size()));
  else
    allocator_.emplace(spans);
}

Span<std::uint8_t> PlannedMemory::add_host_buffer(std::size_t size_bytes) {
  std::size_t room = size_bytes + kHostAlignment;
  std::vector<std::uint8_t>& buffer = host_buffers_.emplace_back(room);
  void* data = buffer.data();
  return {static_cast<std::uint8_t*>(std::align(kHostAlignment, size_bytes, data, room)), size_bytes};
}

Span<std::uint8_t> PlannedMemory::add_device_buffer(const CudaApi* cuda, std::size_t size_bytes, Device device) {
  const std::string what =
      std::to_string(size_bytes) + " bytes of planned memory on GPU " + std::to_string(device.index());
  auto buffer =
      DeviceMemoryBuffer::create(std::max<std::size_t>(size_bytes, 1), device.type(), device.index(), kDeviceAlignment);
  if (!buffer.ok()) throw Failure(what + " cannot be had: " + executorch::runtime::to_string(buffer.error()));
  if (device.type() != DeviceType::CUDA || cuda == nullptr) throw Failure(what + ": the device is not a CUDA one");
  cuda->check(cuda->memset(buffer->data(), 0, size_bytes), "zeroing planned memory");
  const Span<std::uint8_t> span = buffer->as_span();
  device_buffers_.push_back(std::move(*buffer));
  return span;
}

}  // namespace trtet
