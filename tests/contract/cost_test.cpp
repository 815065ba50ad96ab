// spec: "Cost": calls and allocations of a steady-state execute, exactly.
#include <gmock/gmock.h>

#include "rig/add_one.h"
#include "rig/allocations.h"
#include "rig/fixture.h"

namespace contract {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

// What the spec allows: one query for each buffer, one launch, one wait, the copies that staging needs.
std::vector<std::string> allowed_cuda(int buffers, int copies) {
  std::vector<std::string> calls;
  calls.insert(calls.end(), static_cast<size_t>(buffers), "cudaPointerGetAttributes");
  calls.insert(calls.end(), static_cast<size_t>(copies), "cudaMemcpyAsync");
  calls.push_back("cudaStreamSynchronize");
  return calls;
}

struct Case {
  Place input;
  Place output;
  int copies;
};

class SteadyState : public ContractTestWith<Case> {};

TEST_P(SteadyState, CallsEqualTheSpecsListExactly) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are recorded by the stand-in only");
  AddOne add(GetParam().input, GetParam().output);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(add.run(), Error::Ok);
  }
  const CallRecord record;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_THAT(record.cuda(), UnorderedElementsAreArray(allowed_cuda(2, GetParam().copies)));
  EXPECT_THAT(record.tensorrt(), ElementsAre("IExecutionContext::enqueueV3"));
}

TEST_P(SteadyState, AllocatesNothing) {
  AddOne add(GetParam().input, GetParam().output);
  ASSERT_EQ(add.run(), Error::Ok);
  const uint64_t device_allocations = live().device_allocations;
  const Calls calls;
  int heap_allocations = -1;
  {
    const AllocationWatch watch;
    ASSERT_EQ(add.run(), Error::Ok);
    heap_allocations = watch.count();
  }
  EXPECT_EQ(heap_allocations, 0);
  EXPECT_EQ(calls.cuda("cudaMalloc"), 0U);
  EXPECT_EQ(live().device_allocations, device_allocations);
}

TEST_P(SteadyState, WorksWhileEveryAllocationIsRefused) {
  if (!AllocationWatch::can_refuse()) {
    GTEST_SKIP() << "the sanitizer owns the allocator: run it in the default preset";
  }
  AddOne add(GetParam().input, GetParam().output);
  set_cuda("oom_every", 1);
  set_cuda("pinned_oom", 1);
  Error error = Error::Internal;
  {
    const AllocationWatch watch(AllocationWatch::Mode::kRefuse);
    error = add.run();
  }
  EXPECT_EQ(error, Error::Ok) << "the first call after load already has all it needs";
  set_cuda("oom_every", 0);
  set_cuda("pinned_oom", 0);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

INSTANTIATE_TEST_SUITE_P(
    Between, SteadyState,
    testing::Values(Case{Place::kDevice, Place::kDevice, 0}, Case{Place::kManaged, Place::kManaged, 0},
                    Case{Place::kPageable, Place::kDevice, 1}, Case{Place::kDevice, Place::kPinned, 1},
                    Case{Place::kPageable, Place::kPageable, 2}, Case{Place::kPinned, Place::kPinned, 2}),
    [](const auto& tested) { return name_of(tested.param.input) + "_and_" + name_of(tested.param.output); });

class Cost : public ContractTest {};

TEST_F(Cost, GrowsWithTheBuffersOnly) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are recorded by the stand-in only");
  constexpr int kInputs = 31;
  auto loaded = load(many_in_one_out(kInputs, plans::sum_of(kInputs)));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kDevice, kIn);
  Buffer out(Place::kDevice, 16);
  std::vector<TensorArg> tensors;
  for (int i = 0; i < kInputs; ++i) {
    tensors.emplace_back(ScalarType::Float, std::vector<int32_t>{4}, in);
  }
  tensors.emplace_back(ScalarType::Float, std::vector<int32_t>{4}, out);
  std::vector<TensorArg*> pointers;
  for (TensorArg& tensor : tensors) {
    pointers.push_back(&tensor);
  }
  Call call(pointers);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(loaded->execute(call), Error::Ok);
  }
  const CallRecord record;
  ASSERT_EQ(loaded->execute(call), Error::Ok);
  EXPECT_THAT(record.cuda(), UnorderedElementsAreArray(allowed_cuda(kInputs + 1, 0)));
  EXPECT_THAT(record.tensorrt(), ElementsAre("IExecutionContext::enqueueV3"));
}

TEST_F(Cost, ChangedAddressIsSetAndNothingElse) {
  NEEDS_SIMULATED_CUDA("TensorRT's calls are recorded in the order of the stand-in");
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  Buffer in = filled(Place::kDevice, kIn);
  Buffer first(Place::kDevice, 16);
  Buffer second(Place::kDevice, 16);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, first);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  y.set_data(second.data());
  const CallRecord record;
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_THAT(record.tensorrt(), ElementsAre("IExecutionContext::setTensorAddress", "IExecutionContext::enqueueV3"));
}

TEST_F(Cost, OutputThatComesInAnotherShapeIsResizedWithoutAskingTensorRT) {
  NEEDS_SIMULATED_CUDA("TensorRT's calls are recorded in the order of the stand-in");
  AddOne add;
  ASSERT_EQ(add.run(), Error::Ok);
  Buffer out(Place::kDevice, 32);
  TensorArg y(ScalarType::Float, {8}, out);
  Call call({&add.x, &y});
  ASSERT_EQ(add.loaded->execute(call), Error::Ok);
  y.resize({8});
  const CallRecord record;
  ASSERT_EQ(add.loaded->execute(call), Error::Ok);
  EXPECT_EQ(y.sizes(), std::vector<int32_t>{4});
  EXPECT_THAT(record.tensorrt(), ElementsAre("IExecutionContext::enqueueV3"));
}

TEST_F(Cost, AliasedCacheWithItsOwnOutputCostsOneCopy) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are recorded by the stand-in only");
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  Buffer step = filled(Place::kDevice, kIn);
  Buffer cache = filled(Place::kDevice, kIn);
  Buffer updated(Place::kDevice, 16);
  TensorArg a(ScalarType::Float, {4}, step);
  TensorArg b(ScalarType::Float, {4}, cache);
  TensorArg c(ScalarType::Float, {4}, updated);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(loaded->execute({&a, &b, &c}), Error::Ok);
  }
  const CallRecord record;
  ASSERT_EQ(loaded->execute({&a, &b, &c}), Error::Ok);
  EXPECT_THAT(record.cuda(), UnorderedElementsAreArray(allowed_cuda(3, 1)));
  EXPECT_THAT(record.tensorrt(), ElementsAre("IExecutionContext::enqueueV3"));
}

TEST_F(Cost, ReplayCostsOneLaunch) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are recorded by the stand-in only");
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {option("cuda_graph", true)};
  AddOne add(request, Place::kDevice, Place::kDevice);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add.run(), Error::Ok);
  }
  const CallRecord record;
  {
    const AllocationWatch watch;
    ASSERT_EQ(add.run(), Error::Ok);
    EXPECT_EQ(watch.count(), 0);
  }
  auto want = allowed_cuda(2, 0);
  want.push_back("cudaGraphLaunch");
  EXPECT_THAT(record.cuda(), UnorderedElementsAreArray(want));
  EXPECT_TRUE(record.tensorrt().empty());
}

}  // namespace
}  // namespace contract
