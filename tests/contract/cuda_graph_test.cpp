// spec: option cuda_graph.
#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/add_one.h"
#include "rig/fixture.h"
#include "rig/gate.h"

namespace contract {
namespace {

const std::vector<float> kRough = {1.5F, -2.25F, 3e-7F, 4e6F};

LoadRequest with_graph(const std::string& blob = one_in_one_out(plans::add_one({4}))) {
  LoadRequest request(blob);
  request.options = {option("cuda_graph", true)};
  return request;
}

class CudaGraph : public ContractTest {};

class CudaGraphPlaces : public ContractTestWith<Place> {};

TEST_P(CudaGraphPlaces, ResultsEqualTheOrdinaryPathBitForBit) {
  AddOne ordinary(one_in_one_out(plans::add_one({4})), filled(GetParam(), kRough), Buffer(GetParam(), 16));
  AddOne graph(with_graph(), filled(GetParam(), kRough), Buffer(GetParam(), 16));
  ASSERT_EQ(ordinary.run(), Error::Ok);
  const auto want = ordinary.out.read<uint32_t>();
  for (int i = 0; i < 4; ++i) {
    graph.out.write(std::vector<float>(4, -1));
    ASSERT_EQ(graph.run(), Error::Ok);
    ASSERT_EQ(graph.out.read<uint32_t>(), want) << "run " << i;
  }
}

TEST_P(CudaGraphPlaces, ReplayReadsTheInputsOfItsOwnCall) {
  AddOne add(with_graph(), GetParam(), GetParam());
  for (int i = 0; i < 5; ++i) {
    add.in.write(std::vector<float>(4, static_cast<float>(i)));
    ASSERT_EQ(add.run(), Error::Ok);
    ASSERT_EQ(add.out.read<float>(), std::vector<float>(4, static_cast<float>(i + 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(From, CudaGraphPlaces, testing::ValuesIn(kAllPlaces), place_name);

TEST_F(CudaGraph, ReplaysWithoutEnqueueingAfterAnOrdinaryRunAndACapture) {
  NEEDS_SIMULATED_CUDA("calls are counted by the stand-ins only");
  AddOne add(with_graph(), Place::kDevice, Place::kDevice);
  const Calls first;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(first.tensorrt("IExecutionContext::enqueueV3"), 1) << "the first run is an ordinary one";
  EXPECT_EQ(first.cuda("cudaGraphLaunch"), 0);
  ASSERT_EQ(add.run(), Error::Ok);
  const Calls replay;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add.run(), Error::Ok);
  }
  EXPECT_EQ(replay.tensorrt("IExecutionContext::enqueueV3"), 0);
  EXPECT_EQ(replay.cuda("cudaGraphLaunch"), 3);
  EXPECT_EQ(replay.cuda("cudaGraphInstantiate"), 0);
}

TEST_F(CudaGraph, OffByDefault) {
  NEEDS_SIMULATED_CUDA("calls are counted by the stand-ins only");
  AddOne unasked;
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {option("cuda_graph", false)};
  AddOne declined(request, Place::kDevice, Place::kDevice);
  const Calls calls;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(unasked.run(), Error::Ok);
    ASSERT_EQ(declined.run(), Error::Ok);
  }
  EXPECT_EQ(calls.cuda("cudaGraphLaunch"), 0);
}

TEST_F(CudaGraph, AnotherAddressFallsBackAndRecaptures) {
  AddOne add(with_graph(), Place::kDevice, Place::kDevice);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add.run(), Error::Ok);
  }
  const auto want = add.out.read<uint32_t>();
  add.out.write(std::vector<float>(4, -7));
  Buffer second(Place::kDevice, 16);
  add.y.set_data(second.data());
  for (int i = 0; i < 3; ++i) {
    second.write(std::vector<float>(4, -1));
    ASSERT_EQ(add.run(), Error::Ok);
    ASSERT_EQ(second.read<uint32_t>(), want) << "run " << i;
  }
  EXPECT_EQ(add.out.read<float>(), std::vector<float>(4, -7)) << "an old graph wrote to its address";
}

TEST_F(CudaGraph, AnotherShapeFallsBackAndRecaptures) {
  const auto engine = plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {4, 2}}, {{8, 2}, {8, 2}, {16, 2}}});
  auto loaded = load(with_graph(one_in_one_out(engine)));
  Buffer in(Place::kDevice, 16 * 8);
  Buffer out(Place::kDevice, 16 * 8);
  for (const int32_t rows : {2, 2, 2, 9, 9, 9, 2, 2, 4, 4, 9, 1, 2}) {
    const auto count = static_cast<size_t>(rows) * 2;
    in.write(std::vector<float>(count, static_cast<float>(rows)));
    TensorArg x(ScalarType::Float, {rows, 2}, in);
    TensorArg y(ScalarType::Float, {16, 2}, out);
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
    ASSERT_EQ(out.read<float>(count), std::vector<float>(count, static_cast<float>(rows + 1)));
  }
}

TEST_F(CudaGraph, AnotherStreamFallsBackAndRecaptures) {
  AddOne add(with_graph(), Place::kDevice, Place::kDevice);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add.run(), Error::Ok);
  }
  OwnedStream stream;
  Buffer source = filled(Place::kPinned, std::vector<float>(4, 41));
  const Calls calls;
  for (int i = 0; i < 3; ++i) {
    add.in.write(std::vector<float>(4, 0));
    ASSERT_EQ(cudaMemcpyAsync(add.in.data(), source.data(), 16, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
    const executorch::extension::cuda::CallerStreamGuard guard(stream.get());
    ASSERT_EQ(add.run(), Error::Ok);
    ASSERT_EQ(add.out.read<float>(), std::vector<float>(4, 42)) << "run " << i;
  }
  EXPECT_EQ(calls.tensorrt("IExecutionContext::enqueueV3"), 2) << "an ordinary run and a capture";
}

TEST_F(CudaGraph, ABoundedNumberIsKept) {
  NEEDS_SIMULATED_CUDA("live graphs are counted by the stand-in only");
  AddOne add(with_graph(), Place::kDevice, Place::kDevice);
  std::vector<Buffer> outs;
  for (int i = 0; i < 64; ++i) {
    outs.emplace_back(Place::kDevice, 16);
  }
  for (Buffer& out : outs) {
    add.y.set_data(out.data());
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(add.run(), Error::Ok);
    }
  }
  EXPECT_LE(live().graph_execs, 16U);
  EXPECT_GE(live().graph_execs, 1U);
}

TEST_F(CudaGraph, EngineThatCannotBeCapturedLogsOnceAndRunsNormally) {
  NEEDS_SIMULATED_CUDA("engines that cannot be captured are simulated only");
  AddOne add(with_graph(one_in_one_out(plans::uncapturable())), Place::kDevice, Place::kDevice);
  const ScopedLog log;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(add.gives_the_sum());
  }
  EXPECT_EQ(log.count({"cuda_graph"}), 1) << log.text();
  EXPECT_TRUE(log.nothing_cut());
  allow_misuse("broke the capture");  // of the engine itself
}

TEST_F(CudaGraph, AliasedCacheIsUpdatedByReplays) {
  auto loaded = load(with_graph(make_blob(plans::cache_text(), plans::cache())));
  Buffer step = filled(Place::kDevice, std::vector<float>(4, 1));
  Buffer cache = filled(Place::kDevice, std::vector<float>(4, 0));
  Buffer updated(Place::kDevice, 16);
  TensorArg a(ScalarType::Float, {4}, step);
  TensorArg b(ScalarType::Float, {4}, cache);
  TensorArg c(ScalarType::Float, {4}, updated);
  for (int i = 1; i <= 6; ++i) {
    ASSERT_EQ(loaded->execute({&a, &b, &c}), Error::Ok);
    ASSERT_EQ(cache.read<float>(), std::vector<float>(4, static_cast<float>(i)));
    ASSERT_EQ(updated.read<float>(), std::vector<float>(4, static_cast<float>(i)));
  }
}

TEST_F(CudaGraph, EveryFailingCallIsReportedAndTheNextOneRight) {
  NEEDS_SIMULATED_CUDA("CUDA's calls fail on demand in the stand-in only");
  const ScopedLog log;
  for (uint64_t nth = 1; nth < 200; ++nth) {
    AddOne add(with_graph(), Place::kManaged, Place::kManaged);  // read and written here without a CUDA call
    const uint64_t before = injected_failures();
    fail_cuda("*", nth, cudaErrorInvalidValue);
    for (int i = 0; i < 4; ++i) {
      add.out.write(std::vector<float>(4, -1));
      if (add.run() == Error::Ok) {
        ASSERT_EQ(add.out.read<float>(), kOut) << "call " << nth;
      }
    }
    const bool reached = injected_failures() != before;
    clear_failures();
    ASSERT_TRUE(add.gives_the_sum()) << "after call " << nth;
    if (!reached) {
      return;
    }
  }
  FAIL() << "the sweep did not end";
}

}  // namespace
}  // namespace contract
