#include "activation.h"

#include <thread>

#include <gtest/gtest.h>

#include "standins/cuda_control.h"
#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;

class ActivationTest : public testing::Test {
 protected:
  void SetUp() override { standin_cuda_reset(); }
  void TearDown() override { standin_cuda_reset(); }

  static StandinCudaLedger ledger() {
    StandinCudaLedger ledger;
    standin_cuda_ledger(-1, &ledger);
    return ledger;
  }

  unit::LogCapture log_;
};

TEST_F(ActivationTest, DefaultSharesNothing) { EXPECT_FALSE(ActivationShare().is_shared()); }

TEST_F(ActivationTest, BlockHasTheLargestSizeAndGoesWithTheLastShare) {
  const StandinCudaLedger before = ledger();
  {
    const auto small = ActivationShare::join(DeviceId{0}, 1000);
    ASSERT_TRUE(small.ok());
    {
      const auto large = ActivationShare::join(DeviceId{0}, 3000);
      ASSERT_TRUE(large.ok());
      EXPECT_EQ(&small->memory(), &large->memory());
      EXPECT_EQ(ledger().bytes - before.bytes, 3000U);
    }
    const auto smaller = ActivationShare::join(DeviceId{0}, 10);
    ASSERT_TRUE(smaller.ok());
    EXPECT_EQ(smaller->memory().bytes(), 3000U);
  }
  EXPECT_EQ(ledger().bytes, before.bytes);
}

TEST_F(ActivationTest, RefusedGrowthLeavesTheBlockToTheOthers) {
  auto first = ActivationShare::join(DeviceId{0}, 1000);
  ASSERT_TRUE(first.ok());
  const void* data = first->memory().data();
  ASSERT_EQ(standin_cuda_set("oom_every", "1"), 0);
  EXPECT_EQ(ActivationShare::join(DeviceId{0}, 2000).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(first->memory().data(), data);
}

TEST_F(ActivationTest, RefusedFirstShareLeavesNothing) {
  const StandinCudaLedger before = ledger();
  ASSERT_EQ(standin_cuda_set("oom_every", "1"), 0);
  EXPECT_FALSE(ActivationShare::join(DeviceId{0}, 2000).ok());
  ASSERT_EQ(standin_cuda_set("oom_every", "0"), 0);
  EXPECT_EQ(ledger().bytes, before.bytes);
  EXPECT_TRUE(ActivationShare::join(DeviceId{0}, 2000).ok());
}

TEST_F(ActivationTest, TurnsExcludeEachOther) {
  auto first = ActivationShare::join(DeviceId{0}, 1000);
  auto second = ActivationShare::join(DeviceId{0}, 1000);
  ASSERT_TRUE(first.ok() && second.ok());
  const auto turn = first->take_turn();
  bool is_free = true;
  std::thread([&] {
    auto waiting = std::unique_lock<std::mutex>(*turn.mutex(), std::try_to_lock);
    is_free = waiting.owns_lock();
  }).join();
  EXPECT_FALSE(is_free);
}

TEST_F(ActivationTest, EachGpuHasItsOwnBlock) {
  ASSERT_EQ(standin_cuda_set("devices", "2"), 0);
  auto first = ActivationShare::join(DeviceId{0}, 1000);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  auto second = ActivationShare::join(DeviceId{1}, 1000);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->memory().data(), second->memory().data());
}

}  // namespace
}  // namespace executorch_backend_tensorrt
