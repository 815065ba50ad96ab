#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <cuda_runtime_api.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch_backend_tensorrt {

/// Index of a GPU as the CUDA runtime counts them.
enum class DeviceId : std::int32_t {};

constexpr int index_of(DeviceId device) {
  return static_cast<int>(device);
}

/// GPUs the delegate keeps state for; ExecuTorch's own device index has 7 bits.
inline constexpr int kMaxDevices = 128;

/// The error that a CUDA status stands for (one table).
executorch::runtime::Error error_of(cudaError_t status);

/// Takes a failed call back from CUDA's "last error", so that the caller does not find it there.
void forget_cuda_error();

/// Logs a failed CUDA call under its name and returns its error. The status must be a failure.
[[gnu::cold]] executorch::runtime::Error report_cuda(cudaError_t status, const char* call);

inline executorch::runtime::Error check_cuda(cudaError_t status, const char* call) {
  return status == cudaSuccess ? executorch::runtime::Error::Ok : report_cuda(status, call);
}

/// Number of usable GPUs, at least 1. Errors: NotSupported, naming CUDA's reason and the remedy.
executorch::runtime::Result<int> count_devices();

/// Makes a GPU current on this thread until destroyed, then the former one again.
class DeviceScope {
 public:
  static executorch::runtime::Result<DeviceScope> enter(DeviceId device);
  /// A scope that changes nothing yet.
  DeviceScope() = default;
  /// What enter() does, once, in a scope that is there already. Errors: as CUDA's.
  executorch::runtime::Error change(DeviceId device);
  DeviceScope(DeviceScope&& other) noexcept : previous_(std::exchange(other.previous_, -1)) {}
  DeviceScope& operator=(DeviceScope&&) = delete;
  ~DeviceScope() {
    if (previous_ >= 0) {
      restore();
    }
  }

 private:
  void restore();
  int previous_ = -1; // -1: nothing to restore
};

/// Owned memory of one GPU that only grows. Freed with the object, not while the process exits.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceMemory();

  /// Has room for `bytes` afterwards; the old contents are lost when it grows. `device` must be
  /// current. A refusal (MemoryAllocationFailed) changes nothing.
  executorch::runtime::Error reserve(std::size_t bytes, DeviceId device);
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Owned pinned host memory that only grows; a mere help, so having none is no error.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(PinnedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PinnedMemory();

  /// Whether there is room for `bytes` now. A refusal by CUDA is remembered and not tried again.
  bool reserve(std::size_t bytes) { return bytes <= bytes_ || grow(bytes); }
  void* data() const { return data_; }

 private:
  bool grow(std::size_t bytes);

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool was_refused_ = false;
};

} // namespace executorch_backend_tensorrt
