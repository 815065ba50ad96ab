// Pageable buffers go by way of pinned memory where that is faster, and work without.
#include <vector>

#include <executorch/runtime/core/device_allocator.h>

#include "rig/add_one.h"
#include "rig/fixture.h"
#include "rig/standins.h"

namespace contract {
namespace {

using Pinned = ContractTest;

constexpr size_t kBigCount = size_t{1} << 16;  // 256 KiB of floats: inputs gain as well

uint64_t pinned_blocks() { return live().host_blocks; }

// Loads x + 1, runs it twice over pageable memory, and returns how many pinned blocks the handle keeps.
uint64_t run_and_count(size_t count) {
  const uint64_t before = pinned_blocks();
  const auto size = static_cast<int64_t>(count);
  auto loaded = load(one_in_one_out(plans::add_one({size})));
  EXPECT_EQ(loaded.error, Error::Ok);
  const std::vector<float> values(count, 2.5f);
  Buffer in = filled(Place::kPageable, values);
  Buffer out(Place::kPageable, count * sizeof(float));
  TensorArg x(ScalarType::Float, {static_cast<int32_t>(count)}, in);
  TensorArg y(ScalarType::Float, {static_cast<int32_t>(count)}, out);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(loaded->execute({&x, &y}), Error::Ok);
    EXPECT_EQ(out.read<float>(), std::vector<float>(count, 3.5f));
  }
  return pinned_blocks() - before;
}

TEST_F(Pinned, OutputsGoThroughPinnedMemory) {
  NEEDS_SIMULATED_CUDA("blocks are counted by the stand-in only");
  EXPECT_EQ(run_and_count(1024), 1u);
}

TEST_F(Pinned, LargerInputsGoThroughPinnedMemoryToo) {
  NEEDS_SIMULATED_CUDA("blocks are counted by the stand-in only");
  EXPECT_EQ(run_and_count(kBigCount), 2u);
}

TEST_F(Pinned, TinyBuffersAreLeftToCuda) {
  NEEDS_SIMULATED_CUDA("blocks are counted by the stand-in only");
  EXPECT_EQ(run_and_count(4), 0u);
}

TEST_F(Pinned, VeryLargeBuffersAreLeftToCuda) {
  NEEDS_SIMULATED_CUDA("blocks are counted by the stand-in only");
  EXPECT_EQ(run_and_count((size_t{1} << 18) + 1), 0u);
}

TEST_F(Pinned, WithoutPinnedMemoryResultsAreTheSame) {
  NEEDS_SIMULATED_CUDA("allocations fail on demand in the stand-in only");
  set_cuda("pinned_oom", "1");
  EXPECT_EQ(run_and_count(kBigCount), 0u);
}

TEST_F(Pinned, FailedWaitLeavesTheCallersOutputAsItWas) {
  NEEDS_SIMULATED_CUDA("a wait fails on demand in the stand-in only");
  constexpr int32_t kCount = 1024;
  auto loaded = load(one_in_one_out(plans::add_one({kCount})));
  Buffer in = filled(Place::kPageable, std::vector<float>(kCount, 1));
  Buffer out(Place::kPageable, kCount * sizeof(float));
  TensorArg x(ScalarType::Float, {kCount}, in);
  TensorArg y(ScalarType::Float, {kCount}, out);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  const std::vector<float> own(kCount, -7);
  out.write(own);
  const ScopedLog log;
  fail_cuda("cudaStreamSynchronize", 1);
  EXPECT_EQ(loaded->execute({&x, &y}), Error::Internal);
  clear_failures();
  EXPECT_EQ(out.read<float>(), own);
}

TEST_F(Pinned, PinnedBuffersOfTheCallerAreCopiedDirectly) {
  NEEDS_SIMULATED_CUDA("blocks are counted by the stand-in only");
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.compile_specs = {{"target_device", "cuda:0"}};  // so that nothing is made ready for host buffers
  AddOne add(request, Place::kPinned, Place::kPinned);
  const uint64_t before = pinned_blocks();
  EXPECT_TRUE(add.gives_the_sum());
  EXPECT_EQ(pinned_blocks(), before);
}

TEST_F(Pinned, CopyOfTheAllocatorFromPinnedMemoryIsWaitedFor) {
  auto* allocator = executorch::runtime::get_device_allocator(executorch::runtime::etensor::DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  Buffer host = filled(Place::kPinned, std::vector<float>{1, 2, 3, 4});
  Buffer device(Place::kDevice, 16);
  ASSERT_EQ(allocator->copy_host_to_device(device.data(), host.data(), 16, 0), Error::Ok);
  host.write(std::vector<float>{9, 9, 9, 9});
  EXPECT_EQ(device.read<float>(), (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace contract
