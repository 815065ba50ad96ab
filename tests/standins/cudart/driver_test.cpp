#include <cuda.h>

#include <cstring>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

template <class Function>
Function* entry_point(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &address, 13000, cudaEnableDefault, &result), cudaSuccess);
  EXPECT_EQ(result, cudaDriverEntryPointSuccess) << name;
  Function* function = nullptr;
  std::memcpy(&function, &address, sizeof address);
  return function;
}
#define ENTRY_POINT(name) entry_point<decltype(name)>(#name)

class GreenContexts : public Cuda {
 protected:
  // Green context of at least `wanted` multiprocessors on device 0.
  CUgreenCtx create(unsigned wanted) {
    CUdevResource all{};
    EXPECT_EQ(ENTRY_POINT(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM), CUDA_SUCCESS);
    unsigned groups = 1;
    EXPECT_EQ(ENTRY_POINT(cuDevSmResourceSplitByCount)(&part_, &groups, &all, nullptr, 0, wanted), CUDA_SUCCESS);
    EXPECT_EQ(groups, 1u);
    CUdevResourceDesc description = nullptr;
    EXPECT_EQ(ENTRY_POINT(cuDevResourceGenerateDesc)(&description, &part_, 1), CUDA_SUCCESS);
    CUgreenCtx context = nullptr;
    EXPECT_EQ(ENTRY_POINT(cuGreenCtxCreate)(&context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM), CUDA_SUCCESS);
    return context;
  }
  CUdevResource part_{};
};

void set_seven(void* value) { *static_cast<int*>(value) = 7; }

TEST_F(GreenContexts, AStreamOfOneRunsWorkAndKnowsIt) {
  const CUgreenCtx context = create(10);
  EXPECT_EQ(part_.sm.smCount, 16u) << "rounded up to what is scheduled together";
  CUstream stream = nullptr;
  ASSERT_EQ(ENTRY_POINT(cuGreenCtxStreamCreate)(&stream, context, CU_STREAM_NON_BLOCKING, 0), CUDA_SUCCESS);
  int value = 0;
  cudaLaunchHostFunc(stream, set_seven, &value);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(value, 7);
  CUgreenCtx seen = nullptr;
  EXPECT_EQ(ENTRY_POINT(cuStreamGetGreenCtx)(stream, &seen), CUDA_SUCCESS);
  EXPECT_EQ(seen, context);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(ENTRY_POINT(cuGreenCtxDestroy)(context), CUDA_SUCCESS);
  EXPECT_EQ(ENTRY_POINT(cuGreenCtxDestroy)(context), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(GreenContexts, MoreThanTheGpuHasIsRefused) {
  CUdevResource all{};
  ENTRY_POINT(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM);
  unsigned groups = 1;
  EXPECT_EQ(ENTRY_POINT(cuDevSmResourceSplitByCount)(&part_, &groups, &all, nullptr, 0, 10000),
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
}

TEST_F(GreenContexts, InsideOneThePerThreadStreamTakesNoLaunch) {
  const CUgreenCtx green = create(8);
  CUcontext context = nullptr;
  ASSERT_EQ(ENTRY_POINT(cuCtxFromGreenCtx)(&context, green), CUDA_SUCCESS);
  ASSERT_EQ(ENTRY_POINT(cuCtxSetCurrent)(context), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(cudaLaunchHostFunc(cudaStreamPerThread, set_seven, &value), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(ENTRY_POINT(cuCtxSetCurrent)(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cudaLaunchHostFunc(cudaStreamPerThread, set_seven, &value), cudaSuccess);
  cudaStreamSynchronize(cudaStreamPerThread);
  ENTRY_POINT(cuGreenCtxDestroy)(green);
}

TEST_F(GreenContexts, UnknownEntryPointsSaySo) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuNothing", &address, 13000, 0, &result), cudaSuccess);
  EXPECT_EQ(result, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(address, nullptr);
}

}  // namespace
}  // namespace standins::cuda_tests
