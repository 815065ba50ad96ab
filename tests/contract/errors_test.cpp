// spec: "Error codes and messages", row by row; execute steps 7 and 8; cases 12 and 16.
#include "rig/add_one.h"
#include "rig/fixture.h"

namespace contract {
namespace {

class ErrorTable : public ContractTest {};

TEST_F(ErrorTable, DamagedBlobIsInvalidProgramSayingWhatAndWhere) {
  const std::string good = one_in_one_out(plans::add_one({4}));
  std::string bad = good;
  bad[12] = '\x03';  // engine offset, no multiple of 16
  const ScopedLog log;
  EXPECT_EQ(load(bad).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({"engine offset", "16"}));
  EXPECT_EQ(load(good.substr(0, 20)).error, Error::InvalidProgram);
  EXPECT_EQ(load(std::string()).error, Error::InvalidProgram);
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(ErrorTable, DamagedEngineIsInvalidProgramWithTensorRTsText) {
  std::string engine = plans::add_one({4});
  engine[0] = 'x';
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(engine)).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({"magic"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(ErrorTable, BindingMissingInTheEngineIsInvalidProgramByName) {
  BlobText text = one_in_one_out_text();
  text.bindings[1].name = "z";
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::add_one({4}))).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({": z"}));
}

TEST_F(ErrorTable, UnknownOptionIsInvalidArgument) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {option("colour", 3)};
  const ScopedLog log;
  EXPECT_EQ(load(request).error, Error::InvalidArgument);
  EXPECT_TRUE(log.has({"colour", "device_id"}));
}

TEST_F(ErrorTable, WrongNumberOfArgumentsIsInvalidArgumentGotAndWanted) {
  AddOne add(Place::kPageable, Place::kPageable);
  const ScopedLog log;
  EXPECT_EQ(add.loaded->execute({&add.x}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({"1 arguments", "1 inputs and 1 outputs"}));
  EXPECT_EQ(add.loaded->execute({&add.x, &add.y, &add.y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({"3 arguments", "1 inputs and 1 outputs"}));
  EXPECT_TRUE(add.gives_the_sum());
}

TEST_F(ErrorTable, ArgumentThatIsNoTensorIsInvalidArgument) {
  AddOne add(Place::kPageable, Place::kPageable);
  EValue number(static_cast<int64_t>(3));
  Call call({&add.x, &add.y});
  call.values()[0] = &number;
  const ScopedLog log;
  EXPECT_EQ(add.loaded->execute(call), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "tensor"}));
  EXPECT_TRUE(add.gives_the_sum());
}

TEST_F(ErrorTable, RefusedDeviceMemoryAtLoadIsMemoryAllocationFailed) {
  NEEDS_SIMULATED_CUDA("allocations fail on demand in the stand-in only");
  LoadRequest request(one_in_one_out(plans::with_activations(1 << 20)));
  request.options = {option("shared_activation_memory", true)};
  set_cuda("oom_size", 1 << 20);
  const ScopedLog log;
  EXPECT_EQ(load(request).error, Error::MemoryAllocationFailed);
  EXPECT_TRUE(log.has({"1048576 bytes", "GPU 0"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(ErrorTable, RefusedStagingIsMemoryAllocationFailedAndTheHandleStaysUsable) {
  NEEDS_SIMULATED_CUDA("allocations fail on demand in the stand-in only");
  // A program tagged for the GPU expects device buffers, so staging is made only when a host buffer comes.
  LoadRequest request(one_in_one_out(plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {65536, 2}}})));
  request.compile_specs = {{"target_device", "cuda:0"}};
  auto loaded = load(request);
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, std::vector<float>(65536 * 2, 1));
  Buffer out(Place::kPageable, 65536 * 8);
  TensorArg x(ScalarType::Float, {65536, 2}, in);
  TensorArg y(ScalarType::Float, {65536, 2}, out);
  set_cuda("oom_every", 1);
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&x, &y}), Error::MemoryAllocationFailed);
  EXPECT_TRUE(log.has({"524288 bytes", "GPU 0"}));
  EXPECT_TRUE(log.nothing_cut());
  set_cuda("oom_every", 0);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_EQ(out.read<float>(1), std::vector<float>{2});
}

TEST_F(ErrorTable, RefusedLaunchIsInvalidStateNamingTheLikelyCausesAndTensorRTsText) {
  NEEDS_SIMULATED_CUDA("launches fail on demand in the stand-in only");
  AddOne add(Place::kPageable, Place::kPageable);
  fail_tensorrt("IExecutionContext::enqueueV3");
  const ScopedLog log;
  EXPECT_EQ(add.run(), Error::InvalidState);
  EXPECT_TRUE(log.has({"enqueueV3", "stream"}));
  EXPECT_TRUE(log.has({"green context"}));
  EXPECT_TRUE(log.nothing_cut());
  EXPECT_TRUE(add.gives_the_sum());
}

TEST_F(ErrorTable, FailedWaitIsInternalNamingAnEarlierFaultAndTheUsualCauses) {
  NEEDS_SIMULATED_CUDA("waits fail on demand in the stand-in only");
  AddOne add(Place::kDevice, Place::kDevice);
  fail_cuda("cudaStreamSynchronize", 1, cudaErrorIllegalAddress);
  const ScopedLog log;
  EXPECT_EQ(add.run(), Error::Internal);
  EXPECT_TRUE(log.has({"earlier", "shorter", "freed", "another delegate"}));
  EXPECT_TRUE(log.nothing_cut());
  EXPECT_TRUE(add.gives_the_sum());
}

TEST_F(ErrorTable, FailedCopyToTheHostIsInternalNamingBothCauses) {
  NEEDS_SIMULATED_CUDA("copies fail on demand in the stand-in only");
  AddOne add(Place::kDevice, Place::kPageable);
  fail_cuda("cudaMemcpyAsync", 1, cudaErrorInvalidValue);
  const ScopedLog log;
  EXPECT_EQ(add.run(), Error::Internal);
  EXPECT_TRUE(log.has({": y", "buffer", "first error"}));
  EXPECT_TRUE(log.nothing_cut());
  EXPECT_TRUE(add.gives_the_sum());
}

TEST_F(ErrorTable, FailedCopyFromTheHostIsReported) {
  NEEDS_SIMULATED_CUDA("copies fail on demand in the stand-in only");
  AddOne add(Place::kPageable, Place::kDevice);
  fail_cuda("cudaMemcpyAsync", 1, cudaErrorInvalidValue);
  const ScopedLog log;
  EXPECT_NE(add.run(), Error::Ok);
  EXPECT_TRUE(log.has({"cudaMemcpyAsync"}));
  EXPECT_TRUE(add.gives_the_sum());
}

TEST_F(ErrorTable, FailedPointerQueryIsNotTakenForHostMemory) {
  NEEDS_SIMULATED_CUDA("queries fail on demand in the stand-in only");
  AddOne add(Place::kDevice, Place::kDevice);
  fail_cuda("cudaPointerGetAttributes", 1, cudaErrorUnknown);
  const ScopedLog log;
  EXPECT_NE(add.run(), Error::Ok);
  EXPECT_TRUE(log.has({"cudaPointerGetAttributes"}));
  EXPECT_TRUE(add.gives_the_sum());
}

// Case 12: return values ignored. Every TensorRT call that can fail does, in turn.
class TensorRTFailures : public ContractTestWith<const char*> {};

TEST_P(TensorRTFailures, OfExecuteAreReportedAndTheNextCallIsRight) {
  NEEDS_SIMULATED_CUDA("TensorRT's calls fail on demand in the stand-in only");
  auto loaded = load(one_in_one_out(plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {4, 2}}, {{8, 2}, {8, 2}, {16, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, std::vector<float>(32, 1));
  Buffer out = filled(Place::kPageable, std::vector<float>(32, -1));
  TensorArg x(ScalarType::Float, {9, 2}, in);
  TensorArg y(ScalarType::Float, {16, 2}, out);
  fail_tensorrt(std::string("IExecutionContext::") + GetParam());
  const ScopedLog log;
  EXPECT_NE(loaded->execute({&x, &y}), Error::Ok) << "the failure was ignored";
  EXPECT_EQ(injected_failures(), 1U);
  EXPECT_FALSE(log.lines().empty());
  EXPECT_TRUE(log.nothing_cut());
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_EQ(out.read<float>(18), std::vector<float>(18, 2));
}

INSTANTIATE_TEST_SUITE_P(Every, TensorRTFailures,
                         testing::Values("setOptimizationProfileAsync", "setInputShape", "setTensorAddress",
                                         "inferShapes", "enqueueV3"),
                         [](const auto& tested) { return std::string(tested.param); });

// Case 16: work in flight while the context is edited. The stand-in reports such edits; the fixture fails on them.
class Draining : public ContractTestWith<const char*> {};

TEST_P(Draining, EveryCudaFailureLeavesNothingPendingAndTheNextCallRight) {
  NEEDS_SIMULATED_CUDA("CUDA's calls fail on demand in the stand-in only");
  set_cuda("mode", GetParam());
  AddOne add(Place::kPageable, Place::kPageable);
  const ScopedLog log;
  uint64_t nth = 1;
  for (;; ++nth) {
    fail_cuda("*", nth, cudaErrorInvalidValue);
    const uint64_t before = injected_failures();
    const Error error = add.run();
    if (injected_failures() == before) {
      clear_failures();
      break;
    }
    EXPECT_NE(error, Error::Ok) << "call " << nth << " failed and was ignored";
    EXPECT_EQ(pending_work(), 0U) << "call " << nth;
    ASSERT_TRUE(add.gives_the_sum()) << "after call " << nth;
  }
  EXPECT_GT(nth, 5U);
  EXPECT_TRUE(log.nothing_cut());
}

INSTANTIATE_TEST_SUITE_P(Streams, Draining, testing::Values("threaded", "lazy"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_F(ErrorTable, AFaultOfTheDeviceIsReportedOnEveryLaterCall) {
  NEEDS_SIMULATED_CUDA("asynchronous faults are simulated only");
  AddOne add(Place::kDevice, Place::kDevice);
  queue_fault(cudaStreamPerThread, cudaErrorIllegalAddress);
  const ScopedLog log;
  EXPECT_NE(add.run(), Error::Ok);
  EXPECT_NE(add.run(), Error::Ok);
  EXPECT_FALSE(log.lines().empty());
  EXPECT_TRUE(log.nothing_cut());
  add.loaded.program.reset();  // must not crash on a device that is lost
  reset_standins();
}

}  // namespace
}  // namespace contract
