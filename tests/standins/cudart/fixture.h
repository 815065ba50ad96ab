// A fresh stand-in for each test; what a test leaves alive fails it.
#ifndef TESTS_STANDINS_CUDART_FIXTURE_H_
#define TESTS_STANDINS_CUDART_FIXTURE_H_

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "standins/cuda_control.h"

namespace standins::cuda_tests {

inline StandinCudaLedger ledger_of(int device) {
  StandinCudaLedger ledger;
  standin_cuda_ledger(device, &ledger);
  return ledger;
}

class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    standin_cuda_reset();
    set("on_misuse", "quiet");
  }
  void TearDown() override {
    standin_cuda_drain();
    const StandinCudaLedger left = ledger_of(-1);
    EXPECT_EQ(left.allocations + left.host_blocks + left.streams + left.events, 0u);
    EXPECT_EQ(left.graphs + left.graph_execs, 0u);
    standin_cuda_reset();
  }
  static void set(const char* key, const char* value) { ASSERT_EQ(standin_cuda_set(key, value), 0) << key; }

  // The one misuse reported so far.
  static std::string only_misuse() {
    EXPECT_EQ(standin_cuda_misuse_count(), 1u);
    const char* line = standin_cuda_misuse(0);
    return line == nullptr ? "" : line;
  }
};

// Device memory for `count` floats on the current device.
class DeviceFloats {
 public:
  explicit DeviceFloats(size_t count) : count_(count) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), cudaSuccess);
  }
  ~DeviceFloats() { cudaFree(data_); }
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;
  float* data() const { return data_; }
  size_t bytes() const { return count_ * sizeof(float); }
  const float* view() const { return static_cast<const float*>(standin_cuda_host_view(data_)); }

 private:
  size_t count_;
  float* data_ = nullptr;
};

class NewStream {
 public:
  explicit NewStream(unsigned flags = cudaStreamNonBlocking) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, flags), cudaSuccess);
  }
  ~NewStream() { cudaStreamDestroy(stream_); }
  NewStream(const NewStream&) = delete;
  NewStream& operator=(const NewStream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT: used as the handle it is

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace standins::cuda_tests
#endif  // TESTS_STANDINS_CUDART_FIXTURE_H_
