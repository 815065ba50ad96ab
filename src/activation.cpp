#include "activation.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;
using executorch::runtime::Result;

struct ActivationShare::Block {
  std::mutex turn;
  DeviceMemory memory; // changed during a turn only
  int shares = 0;      // guarded by blocks_mutex
  DeviceId device{};
};

namespace {
std::mutex blocks_mutex;
void* blocks[kMaxDevices]; // Block*, which is private; guarded by blocks_mutex
} // namespace

Result<ActivationShare> ActivationShare::join(DeviceId device, std::size_t bytes) {
  ActivationShare share;
  {
    const std::lock_guard<std::mutex> lock(blocks_mutex);
    void*& slot = blocks[index_of(device)];
    if (slot == nullptr) {
      auto* made = new Block();
      made->device = device;
      slot = made;
    }
    share.block_ = static_cast<Block*>(slot);
    ++share.block_->shares;
  }
  const Error error = share.grow(bytes);
  if (error != Error::Ok) {
    return error;
  }
  return share;
}

Error ActivationShare::grow(std::size_t bytes) {
  const std::unique_lock<std::mutex> turn = take_turn();
  return block_->memory.reserve(bytes, block_->device);
}

ActivationShare::~ActivationShare() {
  if (block_ == nullptr) {
    return;
  }
  const std::lock_guard<std::mutex> lock(blocks_mutex);
  if (--block_->shares == 0) {
    blocks[index_of(block_->device)] = nullptr;
    delete block_;
  }
}

std::unique_lock<std::mutex> ActivationShare::take_turn() {
  return std::unique_lock<std::mutex>(block_->turn);
}

const DeviceMemory& ActivationShare::memory() const {
  return block_->memory;
}

} // namespace executorch_backend_tensorrt
