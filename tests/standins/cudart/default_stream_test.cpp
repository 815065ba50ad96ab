#include "fixture.h"

// The names calls get when per-thread default streams are compiled in.
extern "C" {
cudaError_t cudaMemcpyAsync_ptsz(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t, cudaHostFn_t, void*);
cudaError_t cudaMemcpy_ptds(void*, const void*, size_t, cudaMemcpyKind);
}

namespace standins::cuda_tests {
namespace {

class DefaultStream : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    set("mode", "lazy");
  }
};

void set_seven(void* value) { *static_cast<int*>(value) = 7; }
void add_one(void* value) { ++*static_cast<int*>(value); }

TEST_F(DefaultStream, LegacyWorkComesBehindBlockingStreams) {
  NewStream blocking(cudaStreamDefault);
  int value = 0;
  cudaLaunchHostFunc(blocking, set_seven, &value);
  cudaLaunchHostFunc(nullptr, add_one, &value);
  cudaStreamSynchronize(nullptr);
  EXPECT_EQ(value, 8);
}

TEST_F(DefaultStream, BlockingStreamsComeBehindLegacyWork) {
  int value = 0;
  cudaLaunchHostFunc(nullptr, set_seven, &value);
  cudaLaunchHostFunc(cudaStreamPerThread, add_one, &value);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(value, 8);
}

TEST_F(DefaultStream, NonBlockingStreamsWaitForNeither) {
  NewStream stream;
  int value = 0;
  cudaLaunchHostFunc(nullptr, set_seven, &value);
  cudaLaunchHostFunc(stream, add_one, &value);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(standin_cuda_pending(nullptr), 1u);
}

TEST_F(DefaultStream, PerThreadNamesUseTheThreadsStream) {
  int value = 0;
  ASSERT_EQ(cudaLaunchHostFunc_ptsz(nullptr, set_seven, &value), cudaSuccess);
  EXPECT_EQ(standin_cuda_pending(cudaStreamPerThread), 1u);
  EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(standin_cuda_count("cudaLaunchHostFunc"), 1u) << "counted under the plain name";
}

TEST_F(DefaultStream, PerThreadCopiesDoToo) {
  DeviceFloats memory(1);
  const float in = 6;
  float out = 0;
  ASSERT_EQ(cudaMemcpyAsync_ptsz(memory.data(), &in, 4, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(standin_cuda_pending(cudaStreamPerThread), 1u);
  ASSERT_EQ(cudaMemcpy_ptds(&out, memory.data(), 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, 6);
}

}  // namespace
}  // namespace standins::cuda_tests
