// spec: option cuda_graph.
#include "rig/fixture.h"

#include <executorch_backend_tensorrt/caller_stream.h>

namespace contract {
namespace {

const std::vector<float> kIn = {1.5F, -2.25F, 3e-7F, 4e6F};

class CudaGraph : public ContractTest {
 protected:
  static Loaded with_graph(const std::string& plan, bool graph = true) {
    LoadRequest request(one_in_one_out(plan));
    request.options = {option("cuda_graph", graph)};
    return load(request);
  }
};

class CudaGraphPlaces : public ContractTestWith<Place> {};

TEST_P(CudaGraphPlaces, ResultsEqualTheOrdinaryPathBitForBit) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  auto ordinary = load(request);
  request.options = {option("cuda_graph", true)};
  auto graph = load(request);
  ASSERT_EQ(graph.error, Error::Ok);
  Buffer in = filled(GetParam(), kIn);
  Buffer out(GetParam(), 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  ASSERT_EQ(ordinary->execute({&x, &y}), Error::Ok);
  const auto want = out.read<uint32_t>();
  for (int i = 0; i < 4; ++i) {
    out.write(std::vector<float>(4, -1));
    ASSERT_EQ(graph->execute({&x, &y}), Error::Ok);
    ASSERT_EQ(out.read<uint32_t>(), want) << "run " << i;
  }
}

TEST_P(CudaGraphPlaces, ReplayReadsTheInputsOfItsOwnCall) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {option("cuda_graph", true)};
  auto graph = load(request);
  Buffer in = filled(GetParam(), kIn);
  Buffer out(GetParam(), 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  for (int i = 0; i < 5; ++i) {
    in.write(std::vector<float>(4, static_cast<float>(i)));
    ASSERT_EQ(graph->execute({&x, &y}), Error::Ok);
    ASSERT_EQ(out.read<float>(), std::vector<float>(4, static_cast<float>(i + 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(From, CudaGraphPlaces, testing::ValuesIn(kAllPlaces), place_name);

TEST_F(CudaGraph, ReplaysWithoutEnqueueingAfterAnOrdinaryRunAndACapture) {
  NEEDS_SIMULATED_CUDA("calls are counted by the stand-ins only");
  auto loaded = with_graph(plans::add_one({4}));
  Buffer in = filled(Place::kDevice, kIn);
  Buffer out(Place::kDevice, 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  const Calls first;
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_EQ(first.tensorrt("IExecutionContext::enqueueV3"), 1) << "the first run is an ordinary one";
  EXPECT_EQ(first.cuda("cudaGraphLaunch"), 0);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  const Calls replay;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  }
  EXPECT_EQ(replay.tensorrt("IExecutionContext::enqueueV3"), 0);
  EXPECT_EQ(replay.cuda("cudaGraphLaunch"), 3);
  EXPECT_EQ(replay.cuda("cudaGraphInstantiate"), 0);
}

TEST_F(CudaGraph, OffByDefault) {
  NEEDS_SIMULATED_CUDA("calls are counted by the stand-ins only");
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  auto declined = with_graph(plans::add_one({4}), false);
  Buffer in = filled(Place::kDevice, kIn);
  Buffer out(Place::kDevice, 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  const Calls calls;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
    ASSERT_EQ(declined->execute({&x, &y}), Error::Ok);
  }
  EXPECT_EQ(calls.cuda("cudaGraphLaunch"), 0);
}

TEST_F(CudaGraph, AnotherAddressFallsBackAndRecaptures) {
  auto loaded = with_graph(plans::add_one({4}));
  Buffer in = filled(Place::kDevice, kIn);
  Buffer first(Place::kDevice, 16);
  Buffer second(Place::kDevice, 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, first);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  }
  const auto want = first.read<uint32_t>();
  first.write(std::vector<float>(4, -7));
  y.set_data(second.data());
  for (int i = 0; i < 3; ++i) {
    second.write(std::vector<float>(4, -1));
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
    ASSERT_EQ(second.read<uint32_t>(), want) << "run " << i;
  }
  EXPECT_EQ(first.read<float>(), std::vector<float>(4, -7)) << "an old graph wrote to its address";
}

TEST_F(CudaGraph, AnotherShapeFallsBackAndRecaptures) {
  LoadRequest request(one_in_one_out(plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {4, 2}}, {{8, 2}, {8, 2}, {16, 2}}})));
  request.options = {option("cuda_graph", true)};
  auto loaded = load(request);
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

TEST_F(CudaGraph, AnotherStreamIsFollowed) {
  auto loaded = with_graph(plans::add_one({4}));
  Buffer in = filled(Place::kDevice, kIn);
  Buffer out(Place::kDevice, 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  }
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  Buffer source = filled(Place::kPinned, std::vector<float>(4, 41));
  for (int i = 0; i < 3; ++i) {
    in.write(std::vector<float>(4, 0));
    ASSERT_EQ(cudaMemcpyAsync(in.data(), source.data(), 16, cudaMemcpyHostToDevice, stream), cudaSuccess);
    const executorch::extension::cuda::CallerStreamGuard guard(stream);
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
    ASSERT_EQ(out.read<float>(), std::vector<float>(4, 42)) << "run " << i;
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(CudaGraph, ABoundedNumberIsKept) {
  NEEDS_SIMULATED_CUDA("live graphs are counted by the stand-in only");
  auto loaded = with_graph(plans::add_one({4}));
  Buffer in = filled(Place::kDevice, kIn);
  std::vector<Buffer> outs;
  for (int i = 0; i < 64; ++i) {
    outs.emplace_back(Place::kDevice, 16);
  }
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, nullptr);
  for (Buffer& out : outs) {
    y.set_data(out.data());
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
    }
  }
  EXPECT_LE(live().graph_execs, 16U);
  EXPECT_GE(live().graph_execs, 1U);
}

TEST_F(CudaGraph, EngineThatCannotBeCapturedLogsOnceAndRunsNormally) {
  NEEDS_SIMULATED_CUDA("engines that cannot be captured are simulated only");
  auto loaded = with_graph(plans::uncapturable());
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kDevice, std::vector<float>{1, 2, 3, 4});
  Buffer out(Place::kDevice, 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, out);
  const ScopedLog log;
  for (int i = 0; i < 6; ++i) {
    out.write(std::vector<float>(4, -1));
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
    ASSERT_EQ(out.read<float>(), (std::vector<float>{2, 3, 4, 5}));
  }
  EXPECT_EQ(log.count({"cuda_graph"}), 1) << log.text();
  EXPECT_TRUE(log.nothing_cut());
  allow_misuse("broke the capture");  // of the engine itself
}

TEST_F(CudaGraph, AliasedCacheIsUpdatedByReplays) {
  LoadRequest request(make_blob(plans::cache_text(), plans::cache()));
  request.options = {option("cuda_graph", true)};
  auto loaded = load(request);
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
    auto loaded = with_graph(plans::add_one({4}));
    ASSERT_EQ(loaded.error, Error::Ok);
    Buffer in = filled(Place::kManaged, std::vector<float>{1, 2, 3, 4});
    Buffer out(Place::kManaged, 16);  // read and written here without a CUDA call
    TensorArg x(ScalarType::Float, {4}, in);
    TensorArg y(ScalarType::Float, {4}, out);
    const uint64_t before = injected_failures();
    fail_cuda("*", nth, cudaErrorInvalidValue);
    for (int i = 0; i < 4; ++i) {
      out.write(std::vector<float>(4, -1));
      if (loaded->execute({&x, &y}) == Error::Ok) {
        ASSERT_EQ(out.read<float>(), (std::vector<float>{2, 3, 4, 5})) << "call " << nth;
      }
    }
    const bool reached = injected_failures() != before;
    clear_failures();
    out.write(std::vector<float>(4, -1));
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok) << "after call " << nth;
    ASSERT_EQ(out.read<float>(), (std::vector<float>{2, 3, 4, 5})) << "after call " << nth;
    if (!reached) {
      return;
    }
  }
  FAIL() << "the sweep did not end";
}

}  // namespace
}  // namespace contract
