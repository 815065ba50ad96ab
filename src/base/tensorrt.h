#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <NvInferRuntime.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

#include "base/cuda.h"
#include "base/process_exit.h"
#include "base/tensorrt_version.h"

namespace executorch_backend_tensorrt {

/// Deletes a TensorRT object, except while the process exits.
struct TensorRtDelete {
  template <typename T>
  void operator()(T* object) const {
    if (!process_is_exiting()) {
      delete object;
    }
  }
};
template <typename T>
using Owned = std::unique_ptr<T, TensorRtDelete>;

/// The version of the TensorRT library in this process. Needs no GPU.
TensorRtVersion loaded_tensorrt_version();

/// Ok when that library is of the major version the delegate is built for. Errors: NotSupported.
executorch::runtime::Error check_tensorrt_major();

/// TensorRT's last error line on this thread, "" for none.
const char* last_tensorrt_error();
void forget_tensorrt_error();

/// A share in the one IRuntime of a GPU. The runtime is made on first use and stays for the process
/// once a program has loaded with it; one whose only loads failed goes with its last lease.
class RuntimeLease {
 public:
  /// `device` must be current and usable. Errors: Internal.
  static executorch::runtime::Result<RuntimeLease> take(DeviceId device);
  RuntimeLease() = default;
  RuntimeLease(RuntimeLease&& other) noexcept : device_(std::exchange(other.device_, -1)) {}
  RuntimeLease& operator=(RuntimeLease&& other) noexcept {
    std::swap(device_, other.device_);
    return *this;
  }
  ~RuntimeLease();

  /// Null when TensorRT refuses; its reason is in last_tensorrt_error(). `plan` is read, not kept.
  Owned<nvinfer1::ICudaEngine> deserialize(const void* plan, std::size_t bytes) const;
  /// From now on the runtime stays for the process.
  void keep() const;

 private:
  explicit RuntimeLease(int device) : device_(device) {}
  int device_ = -1;
};

} // namespace executorch_backend_tensorrt
