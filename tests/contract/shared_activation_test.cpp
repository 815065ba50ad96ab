// spec: option shared_activation_memory; case 20.
#include <atomic>
#include <chrono>
#include <thread>

#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/add_one.h"
#include "rig/fixture.h"
#include "rig/gate.h"
#include "rig/standins.h"

namespace contract {
namespace {

constexpr uint64_t kSmall = 1 << 20;
constexpr uint64_t kLarge = 3 << 20;
constexpr uint64_t kSlack = 256 << 10;  // staging, weights, alignment

class SharedActivationMemory : public ContractTest {
 protected:
  static Loaded with(uint64_t bytes, bool shared, int device = 0) {
    BlobText text = one_in_one_out_text();
    text.device_id = device;
    LoadRequest request(make_blob(text, plans::with_activations(bytes)));
    request.options = {option("shared_activation_memory", shared)};
    return load(request);
  }
  static AddOne running(Loaded loaded) {
    return AddOne(std::move(loaded), filled(Place::kDevice, kIn), Buffer(Place::kDevice, 16));
  }
};

TEST_F(SharedActivationMemory, SumOfAllocationsIsTheLargestNotTheSum) {
  NEEDS_SIMULATED_CUDA("allocations are counted by the stand-in only");
  const uint64_t before = live().device_bytes;
  const auto small = with(kSmall, true);
  const auto large = with(kLarge, true);
  const auto again = with(kSmall, true);
  ASSERT_EQ(again.error, Error::Ok);
  const uint64_t shared = live().device_bytes - before;
  EXPECT_GE(shared, kLarge);
  EXPECT_LE(shared, kLarge + kSlack);
}

TEST_F(SharedActivationMemory, OffByDefaultEachEngineHoldsItsOwn) {
  NEEDS_SIMULATED_CUDA("allocations are counted by the stand-in only");
  const uint64_t before = live().device_bytes;
  const auto off = with(kSmall, false);
  const auto small = load(one_in_one_out(plans::with_activations(kSmall)));
  const auto large = load(one_in_one_out(plans::with_activations(kLarge)));
  ASSERT_EQ(large.error, Error::Ok);
  EXPECT_GE(live().device_bytes - before, 2 * kSmall + kLarge);
}

TEST_F(SharedActivationMemory, GrowingLeavesEarlierEnginesRight) {
  AddOne small = running(with(kSmall, true));
  EXPECT_TRUE(small.gives_the_sum());
  AddOne large = running(with(kLarge, true));
  EXPECT_TRUE(small.gives_the_sum());
  EXPECT_TRUE(large.gives_the_sum());
  EXPECT_TRUE(small.gives_the_sum());
}

TEST_F(SharedActivationMemory, EnginesGoInAnyOrder) {
  auto first = std::make_unique<AddOne>(running(with(kLarge, true)));
  auto second = std::make_unique<AddOne>(running(with(kSmall, true)));
  EXPECT_TRUE(first->gives_the_sum());
  EXPECT_TRUE(second->gives_the_sum());
  first.reset();
  EXPECT_TRUE(second->gives_the_sum());
  auto third = std::make_unique<AddOne>(running(with(kSmall, true)));
  second.reset();
  EXPECT_TRUE(third->gives_the_sum());
}

TEST_F(SharedActivationMemory, TwoContextsTakeTurns) {
  // Two launches on one block at a time are a misuse that the stand-in reports.
  AddOne first = running(with(kSmall, true));
  AddOne second = running(with(kLarge, true));
  const auto many = [](AddOne& runner) {
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(runner.gives_the_sum());
    }
  };
  std::thread other([&] { many(second); });
  many(first);
  other.join();
}

TEST_F(SharedActivationMemory, SecondContextWaitsForTheFirst) {
  AddOne first = running(with(kSmall, true));
  AddOne second = running(with(kLarge, true));
  OwnedStream held_stream;
  Gate gate;
  gate.hold(held_stream.get());
  std::thread holder([&] {
    const executorch::extension::cuda::CallerStreamGuard guard(held_stream.get());
    EXPECT_EQ(first.run(), Error::Ok);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the first call is in flight
  std::thread other([&] {
    EXPECT_EQ(second.run(), Error::Ok);
    EXPECT_TRUE(gate.is_open()) << "two contexts were on one block";
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  gate.open();
  holder.join();
  other.join();
}

TEST_F(SharedActivationMemory, FailedCallKeepsItsTurnUntilItsStreamIsIdle) {
  NEEDS_SIMULATED_CUDA("copies fail on demand in the stand-in only");
  AddOne first(with(kSmall, true), filled(Place::kDevice, kIn), Buffer(Place::kPageable, 16));
  AddOne second = running(with(kLarge, true));
  ASSERT_TRUE(first.gives_the_sum());
  ASSERT_TRUE(second.gives_the_sum());
  OwnedStream held;
  Gate gate;
  gate.hold(held.get());
  const ScopedLog log;
  fail_cuda("cudaMemcpyAsync", 1);
  std::atomic<bool> is_failing{false};
  std::thread failing([&] {
    const executorch::extension::cuda::CallerStreamGuard guard(held.get());
    is_failing = true;
    EXPECT_EQ(first.run(), Error::Internal);
    EXPECT_TRUE(gate.is_open());
  });
  while (!is_failing) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::thread waiting([&] {
    EXPECT_EQ(second.run(), Error::Ok);
    EXPECT_TRUE(gate.is_open());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  gate.open();
  failing.join();
  waiting.join();
  clear_failures();
  EXPECT_TRUE(first.gives_the_sum());
}

TEST_F(SharedActivationMemory, EngineWithoutActivationsRuns) {
  AddOne runner = running(with(0, true));
  EXPECT_TRUE(runner.gives_the_sum());
}

TEST_F(SharedActivationMemory, GraphsFollowTheBlockWhenItMoves) {
  LoadRequest request(one_in_one_out(plans::with_activations(kSmall)));
  request.options = {option("shared_activation_memory", true), option("cuda_graph", true)};
  AddOne small = running(load(request));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(small.gives_the_sum());
  }
  AddOne large = running(with(kLarge, true));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(small.gives_the_sum());
    ASSERT_TRUE(large.gives_the_sum());
  }
}

TEST_F(SharedActivationMemory, EachGpuHasItsOwnBlock) {
  set_cuda("devices", 2);
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  if (count < 2) {
    GTEST_SKIP() << "needs two GPUs, this machine has " << count;
  }
  const auto on_first = with(kSmall, true, 0);
  const uint64_t before = live(1).device_bytes;
  const auto on_second = with(kSmall, true, 1);
  ASSERT_EQ(on_second.error, Error::Ok);
  if (cuda_is_simulated()) {
    EXPECT_GE(live(1).device_bytes - before, kSmall);
  }
}

}  // namespace
}  // namespace contract
