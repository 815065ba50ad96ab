// spec: option shared_activation_memory; case 20.
#include <thread>

#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/fixture.h"
#include "rig/gate.h"

namespace contract {
namespace {

constexpr uint64_t kSmall = 1 << 20;
constexpr uint64_t kLarge = 3 << 20;
constexpr uint64_t kSlack = 256 << 10;  // staging, weights, alignment

struct Runner {
  explicit Runner(Loaded program)
      : loaded(std::move(program)),
        in(filled(Place::kDevice, std::vector<float>{1, 2, 3, 4})),
        out(Place::kDevice, 16),
        x(ScalarType::Float, {4}, in),
        y(ScalarType::Float, {4}, out) {}
  testing::AssertionResult right() {
    out.write(std::vector<float>(4, -1));
    const Error error = loaded->execute({&x, &y});
    if (error != Error::Ok) {
      return testing::AssertionFailure() << to_string(error);
    }
    return out.read<float>() == std::vector<float>{2, 3, 4, 5}
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << testing::PrintToString(out.read<float>());
  }
  Loaded loaded;
  Buffer in;
  Buffer out;
  TensorArg x;
  TensorArg y;
};

class SharedActivationMemory : public ContractTest {
 protected:
  static Loaded with(uint64_t bytes, bool shared, int device = 0) {
    BlobText text = one_in_one_out_text();
    text.device_id = device;
    LoadRequest request(make_blob(text, plans::with_activations(bytes)));
    request.options = {option("shared_activation_memory", shared)};
    return load(request);
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
  const auto small = with(kSmall, false);
  const auto large = load(one_in_one_out(plans::with_activations(kLarge)));
  ASSERT_EQ(large.error, Error::Ok);
  EXPECT_GE(live().device_bytes - before, kSmall + kLarge);
}

TEST_F(SharedActivationMemory, GrowingLeavesEarlierEnginesRight) {
  Runner small(with(kSmall, true));
  ASSERT_EQ(small.loaded.error, Error::Ok);
  EXPECT_TRUE(small.right());
  Runner large(with(kLarge, true));
  ASSERT_EQ(large.loaded.error, Error::Ok);
  EXPECT_TRUE(small.right());
  EXPECT_TRUE(large.right());
  EXPECT_TRUE(small.right());
}

TEST_F(SharedActivationMemory, EnginesGoInAnyOrder) {
  auto first = std::make_unique<Runner>(with(kLarge, true));
  auto second = std::make_unique<Runner>(with(kSmall, true));
  EXPECT_TRUE(first->right());
  EXPECT_TRUE(second->right());
  first.reset();
  EXPECT_TRUE(second->right());
  auto third = std::make_unique<Runner>(with(kSmall, true));
  second.reset();
  EXPECT_TRUE(third->right());
}

TEST_F(SharedActivationMemory, TwoContextsTakeTurns) {
  // Two launches on one block at a time are a misuse that the stand-in reports.
  Runner first(with(kSmall, true));
  Runner second(with(kLarge, true));
  ASSERT_EQ(first.loaded.error, Error::Ok);
  ASSERT_EQ(second.loaded.error, Error::Ok);
  const auto many = [](Runner& runner) {
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(runner.right());
    }
  };
  std::thread other([&] { many(second); });
  many(first);
  other.join();
}

TEST_F(SharedActivationMemory, SecondContextWaitsForTheFirst) {
  Runner first(with(kSmall, true));
  Runner second(with(kLarge, true));
  OwnedStream held_stream;
  Gate gate;
  gate.hold(held_stream.get());
  std::thread holder([&] {
    const executorch::extension::cuda::CallerStreamGuard guard(held_stream.get());
    EXPECT_EQ(first.loaded->execute({&first.x, &first.y}), Error::Ok);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the first call is in flight
  std::thread other([&] {
    EXPECT_EQ(second.loaded->execute({&second.x, &second.y}), Error::Ok);
    EXPECT_TRUE(gate.is_open()) << "two contexts were on one block";
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  gate.open();
  holder.join();
  other.join();
}

TEST_F(SharedActivationMemory, EngineWithoutActivationsRuns) {
  Runner runner(with(0, true));
  ASSERT_EQ(runner.loaded.error, Error::Ok);
  EXPECT_TRUE(runner.right());
}

TEST_F(SharedActivationMemory, GraphsFollowTheBlockWhenItMoves) {
  LoadRequest request(one_in_one_out(plans::with_activations(kSmall)));
  request.options = {option("shared_activation_memory", true), option("cuda_graph", true)};
  Runner small(load(request));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(small.right());
  }
  Runner large(with(kLarge, true));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(small.right());
    ASSERT_TRUE(large.right());
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
