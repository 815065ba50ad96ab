// spec: execute steps 2, 7 and 8: the caller's stream, always waited for, drained after failures. Cases 9 and 16.
#include <thread>

#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/fixture.h"
#include "rig/gate.h"

namespace contract {
namespace {

using executorch::extension::cuda::CallerStreamGuard;

const std::vector<float> kIn = {1, 2, 3, 4};
const std::vector<float> kOut = {2, 3, 4, 5};

struct AddOne {
  AddOne()
      : loaded(load(one_in_one_out(plans::add_one({4})))),
        in(filled(Place::kDevice, std::vector<float>(4, 0))),
        out(Place::kDevice, 16),
        x(ScalarType::Float, {4}, in),
        y(ScalarType::Float, {4}, out) {}
  Error run() { return loaded->execute({&x, &y}); }
  Loaded loaded;
  Buffer in;
  Buffer out;
  TensorArg x;
  TensorArg y;
};

class CallerStream : public ContractTestWith<const char*> {
 protected:
  void SetUp() override {
    ContractTestWith<const char*>::SetUp();
    set_cuda("mode", GetParam());
  }
};

TEST_P(CallerStream, ProducerCopyQueuedOnItIsSeenWithoutWaiting) {
  AddOne args;
  ASSERT_EQ(args.loaded.error, Error::Ok);
  OwnedStream stream;
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(args.in.data(), source.data(), 16, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  {
    const CallerStreamGuard guard(stream.get());
    ASSERT_EQ(args.run(), Error::Ok);
  }
  EXPECT_EQ(args.out.read<float>(), kOut);
}

TEST_P(CallerStream, ProducerCopyQueuedOnThePerThreadStreamIsSeenWithoutAGuard) {
  AddOne args;
  ASSERT_EQ(args.loaded.error, Error::Ok);
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(args.in.data(), source.data(), 16, cudaMemcpyHostToDevice, cudaStreamPerThread),
            cudaSuccess);
  ASSERT_EQ(args.run(), Error::Ok);
  EXPECT_EQ(args.out.read<float>(), kOut);
}

TEST_P(CallerStream, GuardEndsWithItsScope) {
  AddOne args;
  ASSERT_EQ(args.loaded.error, Error::Ok);
  OwnedStream stream;
  {
    const CallerStreamGuard guard(stream.get());
  }
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(args.in.data(), source.data(), 16, cudaMemcpyHostToDevice, cudaStreamPerThread),
            cudaSuccess);
  ASSERT_EQ(args.run(), Error::Ok);
  EXPECT_EQ(args.out.read<float>(), kOut);
}

TEST_P(CallerStream, GuardsNest) {
  AddOne args;
  ASSERT_EQ(args.loaded.error, Error::Ok);
  OwnedStream outer;
  OwnedStream inner;
  const CallerStreamGuard outer_guard(outer.get());
  {
    const CallerStreamGuard inner_guard(inner.get());
  }
  Buffer source = filled(Place::kPinned, kIn);
  ASSERT_EQ(cudaMemcpyAsync(args.in.data(), source.data(), 16, cudaMemcpyHostToDevice, outer.get()), cudaSuccess);
  ASSERT_EQ(args.run(), Error::Ok);
  EXPECT_EQ(args.out.read<float>(), kOut);
}

TEST_P(CallerStream, GuardIsOfItsThreadOnly) {
  AddOne args;
  ASSERT_EQ(args.loaded.error, Error::Ok);
  OwnedStream stream;
  const CallerStreamGuard guard(stream.get());
  std::thread([&] {
    Buffer source = filled(Place::kPinned, kIn);
    EXPECT_EQ(cudaMemcpyAsync(args.in.data(), source.data(), 16, cudaMemcpyHostToDevice, cudaStreamPerThread),
              cudaSuccess);
    EXPECT_EQ(args.run(), Error::Ok);
    EXPECT_EQ(args.out.read<float>(), kOut);
  }).join();
}

class Wait : public ContractTestWith<const char*> {
 protected:
  void SetUp() override {
    ContractTestWith<const char*>::SetUp();
    set_cuda("mode", GetParam());
  }
};

TEST_P(Wait, NothingIsPendingWhenExecuteReturns) {
  AddOne args;
  ASSERT_EQ(args.loaded.error, Error::Ok);
  OwnedStream stream;
  const CallerStreamGuard guard(stream.get());
  ASSERT_EQ(args.run(), Error::Ok);
  EXPECT_EQ(cudaStreamQuery(stream.get()), cudaSuccess);
}

TEST_P(Wait, NothingIsPendingOnThePerThreadStreamWhenExecuteReturns) {
  AddOne args;
  ASSERT_EQ(args.loaded.error, Error::Ok);
  ASSERT_EQ(args.run(), Error::Ok);
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaSuccess);
}

TEST_P(Wait, HostOutputsHoldTheResultAtOnce) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPinned, kIn);
  Buffer out = filled(Place::kPinned, std::vector<float>(4, -1));
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_EQ(out.read<float>(), kOut);
}

TEST_P(Wait, ManagedOutputsHoldTheResultAtOnce) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kManaged, kIn);
  Buffer out = filled(Place::kManaged, std::vector<float>(4, -1));
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_EQ(out.read<float>(), kOut);
}

const char* const kModes[] = {"threaded", "lazy"};
std::string mode_name(const testing::TestParamInfo<const char*>& tested) { return tested.param; }
INSTANTIATE_TEST_SUITE_P(Streams, CallerStream, testing::ValuesIn(kModes), mode_name);
INSTANTIATE_TEST_SUITE_P(Streams, Wait, testing::ValuesIn(kModes), mode_name);

}  // namespace
}  // namespace contract
