#include "fixture.h"

namespace standins::cuda_tests {
namespace {

class Copy : public Cuda {};

TEST_F(Copy, BetweenEveryPairOfPlaces) {
  set("devices", "2");
  DeviceFloats on_zero(1);
  cudaSetDevice(1);
  DeviceFloats on_one(1);
  const float in = 5;
  float out = 0;
  ASSERT_EQ(cudaMemcpy(on_zero.data(), &in, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyPeer(on_one.data(), 1, on_zero.data(), 0, 4), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&out, on_one.data(), 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(out, 5);
}

TEST_F(Copy, PastTheEndOfAnAllocationIsRefused) {
  DeviceFloats memory(1);
  char host[512] = {};
  EXPECT_EQ(cudaMemcpy(memory.data(), host, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(host, memory.data(), 5, cudaMemcpyDefault, cudaStreamPerThread), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(memory.data(), 0, 5), cudaErrorInvalidValue);
}

TEST_F(Copy, OfFreedMemoryIsRefused) {
  float value = 0;
  void* pointer = nullptr;
  cudaMalloc(&pointer, 4);
  cudaFree(pointer);
  EXPECT_EQ(cudaMemcpy(&value, pointer, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST_F(Copy, WithAWrongDirectionIsRefused) {
  DeviceFloats memory(1);
  float value = 0;
  EXPECT_EQ(cudaMemcpy(memory.data(), &value, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(&value, memory.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(&value, memory.data(), 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(&value, memory.data(), 4, static_cast<cudaMemcpyKind>(7)), cudaErrorInvalidMemcpyDirection);
}

TEST_F(Copy, OfNothingIsFine) {
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(nullptr, "x", 1, cudaMemcpyDefault), cudaErrorInvalidValue);
}

TEST_F(Copy, PageableMemoryIsReadLateUnlessAsked) {
  set("mode", "lazy");
  DeviceFloats memory(1);
  float source = 1;
  cudaMemcpyAsync(memory.data(), &source, 4, cudaMemcpyHostToDevice, cudaStreamPerThread);
  source = 2;
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(memory.view()[0], 2);

  set("pageable_copies", "immediate");
  cudaMemcpyAsync(memory.data(), &source, 4, cudaMemcpyHostToDevice, cudaStreamPerThread);
  source = 3;
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(memory.view()[0], 2);
}

TEST_F(Copy, OfMemoryFreedMeanwhileFailsTheGpu) {
  set("mode", "lazy");
  NewStream early;
  NewStream late;
  void* pointer = nullptr;
  float value = 0;
  cudaMallocAsync(&pointer, 4, early);
  cudaMemcpyAsync(&value, pointer, 4, cudaMemcpyDeviceToHost, late);
  cudaFreeAsync(pointer, early);
  cudaStreamSynchronize(early);
  EXPECT_EQ(cudaStreamSynchronize(late), cudaErrorIllegalAddress);
  EXPECT_NE(only_misuse().find("freed meanwhile"), std::string::npos);
}

TEST_F(Copy, SetFillsBytes) {
  DeviceFloats memory(2);
  ASSERT_EQ(cudaMemset(memory.data(), 0, 8), cudaSuccess);
  EXPECT_EQ(memory.view()[1], 0);
  int host = 0;
  EXPECT_EQ(cudaMemset(&host, 0, 4), cudaErrorInvalidValue) << "pageable memory is not the GPU's";
}

}  // namespace
}  // namespace standins::cuda_tests
