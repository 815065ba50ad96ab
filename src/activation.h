#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

#include "base/cuda.h"

namespace executorch_backend_tensorrt {

/// A share in the one activation block that engines of a GPU use in turns. The block has the size
/// of the largest share and goes with the last one.
class ActivationShare {
 public:
  /// A share in nothing: the engine has memory of its own.
  ActivationShare() = default;
  /// Grows the block to `bytes` while no engine runs on it. `device` must be current.
  /// Errors: MemoryAllocationFailed; the block is then as before.
  static executorch::runtime::Result<ActivationShare> join(DeviceId device, std::size_t bytes);
  ActivationShare(ActivationShare&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)) {}
  ActivationShare& operator=(ActivationShare&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~ActivationShare();

  bool is_shared() const { return block_ != nullptr; }
  /// Waits for this engine's turn; the block stays where it is until the lock is gone.
  std::unique_lock<std::mutex> take_turn();
  /// The block, to be read during one's turn.
  const DeviceMemory& memory() const;

 private:
  struct Block;
  executorch::runtime::Error grow(std::size_t bytes);
  Block* block_ = nullptr;
};

} // namespace executorch_backend_tensorrt
