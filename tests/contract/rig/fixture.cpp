#include "fixture.h"

namespace contract {

void ContractTest::SetUp() {
  reset_standins();
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    ASSERT_FALSE(cuda_is_simulated()) << "the CUDA stand-in shows no GPU";
    GTEST_SKIP() << "no GPU here: " << cudaGetErrorString(status);
  }
  if (!tensorrt_is_simulated()) {
    GTEST_SKIP() << "the plans of these tests need the TensorRT stand-in, built for this CUDA runtime";
  }
  ASSERT_NE(backend(), nullptr) << "the delegate is not registered";
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  before_ = live();
  ready_ = true;
}

void ContractTest::TearDown() {
  if (!ready_) {
    return;
  }
  for (const std::string& line : misuse()) {
    if (!allowed_misuse_.empty() && line.find(allowed_misuse_) != std::string::npos) {
      continue;
    }
    ADD_FAILURE() << "wrong use seen by a stand-in: " << line;
  }
  int device = -1;
  if (!IsSkipped()) {
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0) << "the current GPU was left changed";
    Live after = live();
    // The process keeps its runtimes, and the memory they hold, for the next program.
    before_.runtimes = after.runtimes = 0;
    EXPECT_EQ(after, before_) << "something was left behind";
  }
  reset_standins();
}

}  // namespace contract
