#include <thread>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

class Control : public Cuda {};

TEST_F(Control, UnknownOrMalformedSettingsAreRefused) {
  EXPECT_EQ(standin_cuda_set("modes", "lazy"), 1);
  EXPECT_EQ(standin_cuda_set("mode", "Lazy"), 1);
  EXPECT_EQ(standin_cuda_set("devices", "17"), 1);
  EXPECT_EQ(standin_cuda_set("devices", "1x"), 1);
  EXPECT_EQ(standin_cuda_set("record", ""), 1);
  EXPECT_EQ(standin_cuda_set("devices", "16"), 0);
}

TEST_F(Control, CallsAreCounted) {
  cudaStreamSynchronize(nullptr);
  cudaStreamSynchronize(nullptr);
  int device = 0;
  cudaGetDevice(&device);
  EXPECT_EQ(standin_cuda_count("cudaStreamSynchronize"), 2u);
  EXPECT_EQ(standin_cuda_count("*"), 3u);
  EXPECT_EQ(standin_cuda_count("cudaNothing"), 0u);
  standin_cuda_reset_counts();
  EXPECT_EQ(standin_cuda_count(nullptr), 0u);
}

TEST_F(Control, ARecordedCallKnowsThreadDeviceStreamAndAnswer) {
  set("devices", "2");
  set("record", "1");
  standin_cuda_reset_counts();
  std::thread([] {
    cudaSetDevice(1);
    cudaStreamSynchronize(cudaStreamPerThread);
  }).join();
  cudaSetDevice(5);
  StandinCudaCall calls[8];
  ASSERT_EQ(standin_cuda_calls(calls, 8), 3u);
  EXPECT_STREQ(calls[1].name, "cudaStreamSynchronize");
  EXPECT_EQ(calls[1].device, 1);
  EXPECT_EQ(calls[1].stream, cudaStreamPerThread);
  EXPECT_EQ(calls[0].thread, calls[1].thread);
  EXPECT_NE(calls[2].thread, calls[1].thread);
  EXPECT_EQ(calls[2].error, cudaErrorInvalidDevice);
}

TEST_F(Control, ResetForgetsEverythingButLiveObjects) {
  DeviceFloats memory(1);
  set("devices", "2");
  standin_cuda_fail("*", 1, 1);
  standin_cuda_raise(cudaErrorLaunchFailure);
  cudaSetDevice(1);
  cudaFree(&memory);
  standin_cuda_reset();
  set("on_misuse", "quiet");
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(standin_cuda_misuse_count(), 0u);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(ledger_of(0).allocations, 1u);
}

}  // namespace
}  // namespace standins::cuda_tests
