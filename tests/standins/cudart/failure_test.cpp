#include "fixture.h"

namespace standins::cuda_tests {
namespace {

class Failures : public Cuda {};

TEST_F(Failures, TheNthCallFailsAndOnlyThat) {
  ASSERT_EQ(standin_cuda_fail("cudaSetDevice", 2, cudaErrorDevicesUnavailable), 0);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(standin_cuda_injected_count(), 1u);
  EXPECT_STREQ(standin_cuda_last_injected(), "cudaSetDevice");
}

TEST_F(Failures, AnyCallIncludesEveryOneThatCanFail) {
  standin_cuda_fail("*", 2, cudaErrorUnknown);
  int device = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess") << "does not count: it cannot fail";
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorUnknown);
}

TEST_F(Failures, ByKeyFromTheNthOn) {
  set("fail", "cudaMalloc:1=2,cudaGetDevice:2+=46");
  void* pointer = nullptr;
  int device = 0;
  EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaErrorDevicesUnavailable);
  EXPECT_EQ(cudaGetDevice(&device), cudaErrorDevicesUnavailable);
}

TEST_F(Failures, UnknownNamesAreRefused) {
  EXPECT_EQ(standin_cuda_fail("cudaNothing", 1, 1), 1);
  EXPECT_EQ(standin_cuda_fail("cudaGetErrorString", 1, 1), 1) << "cannot fail";
  EXPECT_EQ(standin_cuda_set("fail", "cudaMalloc"), 1);
  EXPECT_EQ(standin_cuda_set("fail", "cudaMalloc:x"), 1);
}

TEST_F(Failures, AReleaseThatFailsHasReleased) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 8);
  standin_cuda_fail("cudaFree", 1, cudaErrorLaunchFailure);
  EXPECT_EQ(cudaFree(pointer), cudaErrorLaunchFailure);
  EXPECT_EQ(ledger_of(0).allocations, 0u);
}

TEST_F(Failures, AWaitThatFailsHasWaited) {
  set("mode", "lazy");
  DeviceFloats memory(1);
  cudaMemsetAsync(memory.data(), 0, 4, cudaStreamPerThread);
  standin_cuda_fail("cudaStreamSynchronize", 1, cudaErrorLaunchFailure);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaErrorLaunchFailure);
  EXPECT_EQ(memory.view()[0], 0);
  EXPECT_EQ(standin_cuda_pending(nullptr), 0u);
}

TEST_F(Failures, OtherCallsThatFailDidNothing) {
  set("mode", "lazy");
  DeviceFloats memory(1);
  standin_cuda_fail("cudaMemsetAsync", 1, cudaErrorUnknown);
  EXPECT_EQ(cudaMemsetAsync(memory.data(), 0, 4, cudaStreamPerThread), cudaErrorUnknown);
  EXPECT_EQ(standin_cuda_pending(nullptr), 0u);
}

TEST_F(Failures, CallsOfOtherStandInsAreNeitherCountedNorFailed) {
  standin_cuda_fail("cudaSetDevice", 1, cudaErrorUnknown);
  {
    CudaLibraryScope scope;
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  EXPECT_EQ(standin_cuda_count("cudaSetDevice"), 0u);
  EXPECT_EQ(cudaSetDevice(0), cudaErrorUnknown);
}

class AsyncFaults : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    set("mode", "lazy");
    set("devices", "2");
  }
};

TEST_F(AsyncFaults, ShowAtTheWaitAndStay) {
  ASSERT_EQ(standin_cuda_queue_fault(cudaStreamPerThread, cudaErrorLaunchFailure), 0);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaErrorLaunchFailure);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 8), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure) << "a sticky error is not taken away";
}

TEST_F(AsyncFaults, StayOnTheirGpu) {
  standin_cuda_queue_fault(cudaStreamPerThread, cudaErrorLaunchFailure);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(AsyncFaults, StopTheWorkBehindThem) {
  int ran = 0;
  int always = 0;
  const auto count_up = [](void* counter) { ++*static_cast<int*>(counter); };
  standin_cuda_queue_fault(cudaStreamPerThread, cudaErrorLaunchFailure);
  cudaLaunchHostFunc(cudaStreamPerThread, count_up, &ran);
  {
    CudaLibraryScope scope;
    cudaLaunchHostFunc(cudaStreamPerThread, count_up, &always);
  }
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(always, 1) << "another stand-in keeps its books";
}

TEST_F(AsyncFaults, MemoryCanStillBeReleased) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 8);
  standin_cuda_raise(cudaErrorLaunchFailure);
  EXPECT_EQ(cudaFree(pointer), cudaErrorLaunchFailure);
  EXPECT_EQ(ledger_of(0).allocations, 0u);
}

TEST_F(AsyncFaults, AResetOfTheDeviceEndsThem) {
  standin_cuda_raise(cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// Stream work asking for a view of `memory`, as the TensorRT stand-in does.
struct Access {
  const void* memory;
  size_t bytes;
  void* seen;
};
void look(void* access) {
  auto* a = static_cast<Access*>(access);
  a->seen = standin_cuda_host_range(a->memory, a->bytes);
}
Access look_from_stream(const void* memory, size_t bytes) {
  Access access{memory, bytes, nullptr};
  cudaLaunchHostFunc(cudaStreamPerThread, look, &access);
  standin_cuda_drain();
  return access;
}

TEST_F(AsyncFaults, WorkSeesReachableMemoryOnly) {
  DeviceFloats memory(4);
  EXPECT_NE(look_from_stream(memory.data(), 16).seen, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaSetDevice(1);
  EXPECT_EQ(look_from_stream(memory.data(), 16).seen, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_NE(only_misuse().find("without peer access"), std::string::npos);
}

TEST_F(AsyncFaults, WorkSeesPeerMemoryOnceMapped) {
  DeviceFloats memory(4);
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(0, 0);
  EXPECT_NE(look_from_stream(memory.data(), 16).seen, nullptr);
}

TEST_F(AsyncFaults, WorkPastTheEndFaults) {
  DeviceFloats memory(4);
  EXPECT_EQ(look_from_stream(memory.data(), 17).seen, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_NE(only_misuse().find("past the end"), std::string::npos);
}

TEST_F(AsyncFaults, WorkOnPageableMemoryFaultsUnlessTheGpuSharesIt) {
  int local = 0;
  EXPECT_EQ(look_from_stream(&local, 4).seen, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  cudaDeviceReset();
  set("integrated", "1");
  EXPECT_EQ(look_from_stream(&local, 4).seen, &local);
}

TEST_F(AsyncFaults, CallsFromHostFunctionsAreRefused) {
  cudaError_t answer = cudaSuccess;
  cudaLaunchHostFunc(
      cudaStreamPerThread,
      [](void* out) {
        int device = 0;
        *static_cast<cudaError_t*>(out) = cudaGetDevice(&device);
      },
      &answer);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(answer, cudaErrorNotPermitted);
  EXPECT_NE(only_misuse().find("host function"), std::string::npos);
}

}  // namespace
}  // namespace standins::cuda_tests
