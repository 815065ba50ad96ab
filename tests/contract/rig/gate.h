// Holds a stream up until it is told otherwise, to make what overlaps, or must not, a matter of order and not of luck.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace contract {

// Queue it on a stream ahead of other work; give up after `kPatience`, so that a failing test ends.
class Gate {
 public:
  static constexpr auto kPatience = std::chrono::seconds(20);

  void hold(cudaStream_t stream) { EXPECT_EQ(cudaLaunchHostFunc(stream, &Gate::wait, this), cudaSuccess); }
  void open() { open_ = true; }
  bool is_open() const { return open_; }

 private:
  static void CUDART_CB wait(void* self) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!static_cast<Gate*>(self)->open_ && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::atomic<bool> open_{false};
};

// A stream that waits for no other.
class OwnedStream {
 public:
  OwnedStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~OwnedStream() { (void)cudaStreamDestroy(stream_); }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace contract
