#include "base/tensorrt.h"

#include <cstring>
#include <string>

#include <gmock/gmock.h>

#include "standins/cuda_control.h"
#include "standins/tensorrt_control.h"
#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using testing::HasSubstr;

class TensorRtTest : public testing::Test {
 protected:
  void SetUp() override {
    standin_cuda_reset();
    standin_tensorrt_reset();
    forget_tensorrt_error();
  }
  void TearDown() override { SetUp(); }

  static std::uint64_t live_runtimes() {
    StandinTensorRtLedger ledger;
    standin_tensorrt_ledger(&ledger);
    return ledger.runtimes;
  }

  unit::LogCapture log_;
};

TEST_F(TensorRtTest, ReadsTheLibrarysVersion) {
  ASSERT_EQ(standin_tensorrt_set("version", "11.2.3.4"), 0);
  EXPECT_TRUE((loaded_tensorrt_version() == TensorRtVersion{11, 2, 3, 4}));
  EXPECT_EQ(check_tensorrt_major(), Error::Ok);
}

TEST_F(TensorRtTest, RefusesAnotherMajorNamingBoth) {
  ASSERT_EQ(standin_tensorrt_set("version", "12.5.0.1"), 0);
  EXPECT_EQ(check_tensorrt_major(), Error::NotSupported);
  EXPECT_THAT(log_.text(), HasSubstr("built for 11, loaded is 12.5.0"));
}

// Runs before any keep(): the runtime of GPU 1 is this test's alone.
TEST_F(TensorRtTest, LeasesShareOneRuntimeThatGoesWithTheLast) {
  ASSERT_EQ(standin_cuda_set("devices", "2"), 0);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const std::uint64_t before = live_runtimes();
  {
    const auto first = RuntimeLease::take(DeviceId{1});
    ASSERT_TRUE(first.ok());
    const auto second = RuntimeLease::take(DeviceId{1});
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(live_runtimes(), before + 1);
  }
  EXPECT_EQ(live_runtimes(), before);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST_F(TensorRtTest, KeptRuntimeStays) {
  std::uint64_t during = 0;
  {
    const auto lease = RuntimeLease::take(DeviceId{0});
    ASSERT_TRUE(lease.ok());
    lease->keep();
    during = live_runtimes();
  }
  EXPECT_EQ(live_runtimes(), during);
}

TEST_F(TensorRtTest, RefusedRuntimeIsAnError) {
  ASSERT_EQ(standin_cuda_set("devices", "3"), 0);
  ASSERT_EQ(cudaSetDevice(2), cudaSuccess);
  ASSERT_EQ(standin_tensorrt_fail("createInferRuntime_INTERNAL", 1), 0);
  EXPECT_EQ(RuntimeLease::take(DeviceId{2}).error(), Error::Internal);
  EXPECT_THAT(log_.text(), HasSubstr("no runtime on GPU 2"));
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST_F(TensorRtTest, LastErrorLineIsKeptAndLogged) {
  const auto lease = RuntimeLease::take(DeviceId{0});
  ASSERT_TRUE(lease.ok());
  const std::string damaged(64, '\7');
  EXPECT_EQ(lease->deserialize(damaged.data(), damaged.size()), nullptr);
  EXPECT_GT(std::strlen(last_tensorrt_error()), 0U);
  EXPECT_THAT(log_.text(), HasSubstr("TensorRT error: "));
  forget_tensorrt_error();
  EXPECT_STREQ(last_tensorrt_error(), "");
}

}  // namespace
}  // namespace executorch_backend_tensorrt
