// spec: execute steps 2, 7 and 8: the caller's stream, always waited for, drained after failures. Cases 9 and 16.
#include <thread>

#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/add_one.h"
#include "rig/fixture.h"
#include "rig/gate.h"

namespace contract {
namespace {

using executorch::extension::cuda::CallerStreamGuard;

// Its input is zero until a test's own copy arrives.
struct AddOneToZeros : AddOne {
  AddOneToZeros() { in.write(std::vector<float>(4, 0)); }
};

// In both ways that the stand-in has of finishing work late.
class InEveryMode : public ContractTestWith<const char*> {
 protected:
  void SetUp() override {
    ContractTestWith<const char*>::SetUp();
    set_cuda("mode", GetParam());
  }
};

class CallerStream : public InEveryMode {};

TEST_P(CallerStream, ProducerCopyQueuedOnItIsSeenWithoutWaiting) {
  AddOneToZeros add;
  OwnedStream stream;
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(add.in.data(), source.data(), 16, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  {
    const CallerStreamGuard guard(stream.get());
    ASSERT_EQ(add.run(), Error::Ok);
  }
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_P(CallerStream, ProducerCopyQueuedOnThePerThreadStreamIsSeenWithoutAGuard) {
  AddOneToZeros add;
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(add.in.data(), source.data(), 16, cudaMemcpyHostToDevice, cudaStreamPerThread),
            cudaSuccess);
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_P(CallerStream, GuardEndsWithItsScope) {
  AddOneToZeros add;
  OwnedStream stream;
  {
    const CallerStreamGuard guard(stream.get());
  }
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(add.in.data(), source.data(), 16, cudaMemcpyHostToDevice, cudaStreamPerThread),
            cudaSuccess);
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_P(CallerStream, GuardsNest) {
  AddOneToZeros add;
  OwnedStream outer;
  OwnedStream inner;
  const CallerStreamGuard outer_guard(outer.get());
  {
    const CallerStreamGuard inner_guard(inner.get());
  }
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(add.in.data(), source.data(), 16, cudaMemcpyHostToDevice, outer.get()), cudaSuccess);
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_P(CallerStream, GuardIsOfItsThreadOnly) {
  AddOneToZeros add;
  OwnedStream stream;
  const CallerStreamGuard guard(stream.get());
  std::thread([&] {
    Buffer source = filled(Place::kPinned, kIn);
    EXPECT_EQ(cudaMemcpyAsync(add.in.data(), source.data(), 16, cudaMemcpyHostToDevice, cudaStreamPerThread),
              cudaSuccess);
    EXPECT_EQ(add.run(), Error::Ok);
    EXPECT_EQ(add.out.read<float>(), kOut);
  }).join();
}

class Wait : public InEveryMode {};

TEST_P(Wait, NothingIsPendingWhenExecuteReturns) {
  AddOneToZeros add;
  OwnedStream stream;
  const CallerStreamGuard guard(stream.get());
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(cudaStreamQuery(stream.get()), cudaSuccess);
}

TEST_P(Wait, NothingIsPendingOnThePerThreadStreamWhenExecuteReturns) {
  AddOneToZeros add;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaSuccess);
}

TEST_P(Wait, HostOutputsHoldTheResultAtOnce) {
  AddOne add(Place::kPinned, Place::kPinned);
  EXPECT_TRUE(add.gives_the_sum());
}

TEST_P(Wait, ManagedOutputsHoldTheResultAtOnce) {
  AddOne add(Place::kManaged, Place::kManaged);
  EXPECT_TRUE(add.gives_the_sum());
}

const char* const kModes[] = {"threaded", "lazy"};
std::string mode_name(const testing::TestParamInfo<const char*>& tested) { return tested.param; }
INSTANTIATE_TEST_SUITE_P(Streams, CallerStream, testing::ValuesIn(kModes), mode_name);
INSTANTIATE_TEST_SUITE_P(Streams, Wait, testing::ValuesIn(kModes), mode_name);

}  // namespace
}  // namespace contract
