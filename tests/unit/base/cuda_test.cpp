#include "base/cuda.h"

#include <string>

#include <gmock/gmock.h>

#include "standins/cuda_control.h"
#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using testing::HasSubstr;

class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    standin_cuda_reset();
    ASSERT_EQ(standin_cuda_set("devices", "2"), 0);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  void TearDown() override { standin_cuda_reset(); }

  static int current() {
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    return device;
  }
  static std::uint64_t live_allocations() {
    StandinCudaLedger ledger;
    standin_cuda_ledger(-1, &ledger);
    return ledger.allocations;
  }

  unit::LogCapture log_;
};

TEST_F(CudaTest, StatusTable) {
  EXPECT_EQ(error_of(cudaSuccess), Error::Ok);
  EXPECT_EQ(error_of(cudaErrorMemoryAllocation), Error::MemoryAllocationFailed);
  EXPECT_EQ(error_of(cudaErrorNoDevice), Error::NotSupported);
  EXPECT_EQ(error_of(cudaErrorInsufficientDriver), Error::NotSupported);
  EXPECT_EQ(error_of(cudaErrorInvalidDevice), Error::InvalidArgument);
  EXPECT_EQ(error_of(cudaErrorIllegalAddress), Error::Internal);
  EXPECT_EQ(error_of(cudaErrorUnknown), Error::Internal);
}

TEST_F(CudaTest, FailedCallIsNamedAndTakenBack) {
  EXPECT_EQ(check_cuda(cudaSetDevice(7), "cudaSetDevice"), Error::InvalidArgument);
  EXPECT_THAT(log_.text(), HasSubstr("cudaSetDevice failed"));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(CudaTest, CountsDevices) {
  const auto count = count_devices();
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(*count, 2);
}

TEST_F(CudaTest, NoDriverIsNamedWithItsRemedy) {
  ASSERT_EQ(standin_cuda_set("driver", "none"), 0);
  EXPECT_EQ(count_devices().error(), Error::NotSupported);
  EXPECT_THAT(log_.text(), HasSubstr("(35); install an NVIDIA driver"));
}

TEST_F(CudaTest, ScopeMakesADeviceCurrentAndRestoresTheFormer) {
  {
    const auto scope = DeviceScope::enter(DeviceId{1});
    ASSERT_TRUE(scope.ok());
    EXPECT_EQ(current(), 1);
  }
  EXPECT_EQ(current(), 0);
}

TEST_F(CudaTest, ScopeOfTheCurrentDeviceSetsNothing) {
  standin_cuda_reset_counts();
  {
    ASSERT_TRUE(DeviceScope::enter(DeviceId{0}).ok());
  }
  EXPECT_EQ(standin_cuda_count("cudaSetDevice"), 0U);
}

TEST_F(CudaTest, ScopeThatCannotBeEnteredChangesNothing) {
  EXPECT_EQ(DeviceScope::enter(DeviceId{5}).error(), Error::InvalidArgument);
  EXPECT_EQ(current(), 0);
  ASSERT_EQ(standin_cuda_fail("cudaGetDevice", 1, cudaErrorUnknown), 0);
  EXPECT_EQ(DeviceScope::enter(DeviceId{1}).error(), Error::Internal);
  EXPECT_EQ(current(), 0);
}

TEST_F(CudaTest, MovedScopeRestoresOnce) {
  {
    auto outer = DeviceScope::enter(DeviceId{1});
    const DeviceScope inner(std::move(outer.get()));
    EXPECT_EQ(current(), 1);
  }
  EXPECT_EQ(current(), 0);
}

TEST_F(CudaTest, MemoryOnlyGrows) {
  const std::uint64_t before = live_allocations();
  {
    DeviceMemory memory;
    ASSERT_EQ(memory.reserve(100, DeviceId{0}), Error::Ok);
    void* data = memory.data();
    ASSERT_EQ(memory.reserve(50, DeviceId{0}), Error::Ok);
    EXPECT_EQ(memory.data(), data);
    EXPECT_EQ(memory.bytes(), 100U);
    ASSERT_EQ(memory.reserve(200, DeviceId{0}), Error::Ok);
    EXPECT_EQ(memory.bytes(), 200U);
    EXPECT_EQ(live_allocations(), before + 1);
  }
  EXPECT_EQ(live_allocations(), before);
}

TEST_F(CudaTest, RefusedMemoryChangesNothingAndNamesSizeAndDevice) {
  DeviceMemory memory;
  ASSERT_EQ(memory.reserve(100, DeviceId{0}), Error::Ok);
  void* data = memory.data();
  ASSERT_EQ(standin_cuda_set("oom_every", "1"), 0);
  EXPECT_EQ(memory.reserve(12345, DeviceId{0}), Error::MemoryAllocationFailed);
  EXPECT_EQ(memory.data(), data);
  EXPECT_EQ(memory.bytes(), 100U);
  EXPECT_THAT(log_.text(), HasSubstr("12345 bytes on GPU 0"));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace executorch_backend_tensorrt
