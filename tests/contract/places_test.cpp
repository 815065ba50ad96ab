// spec: execute step 4: where a buffer is, what is bound in place, staged or refused; the alignment rule.
#include "rig/add_one.h"
#include "rig/fixture.h"

namespace contract {
namespace {

class Places : public ContractTestWith<std::tuple<Place, Place>> {};

TEST_P(Places, EveryKindOfInputAndOutputGivesTheSame) {
  const auto [input_place, output_place] = GetParam();
  AddOne add(input_place, output_place);
  for (int i = 0; i < 3; ++i) {
    add.out.write(std::vector<float>(4, -1));
    ASSERT_EQ(add.run(), Error::Ok);
    ASSERT_EQ(add.out.read<float>(), kOut);
  }
}

TEST_P(Places, OnlyHostMemoryIsCopied) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are counted by the stand-in only");
  const auto [input_place, output_place] = GetParam();
  AddOne add(input_place, output_place);
  const Calls calls;
  ASSERT_EQ(add.run(), Error::Ok);
  const auto is_host = [](Place place) { return place == Place::kPageable || place == Place::kPinned; };
  EXPECT_EQ(calls.cuda("cudaMemcpyAsync"), int{is_host(input_place)} + int{is_host(output_place)});
}

INSTANTIATE_TEST_SUITE_P(Every, Places, testing::Combine(testing::ValuesIn(kAllPlaces), testing::ValuesIn(kAllPlaces)),
                         [](const auto& tested) {
                           return name_of(std::get<0>(tested.param)) + "_to_" + name_of(std::get<1>(tested.param));
                         });

class Buffers : public ContractTest {};

TEST_F(Buffers, NullInputWithBytesIsInvalidArgumentByName) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer out(Place::kPageable, 16);
  TensorArg x(ScalarType::Float, {4}, nullptr);
  TensorArg y(ScalarType::Float, {4}, out);
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&x, &y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "no buffer", "16 bytes"}));
}

TEST_F(Buffers, NullOutputWithBytesIsInvalidArgumentByName) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, kIn);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {4}, nullptr);
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&x, &y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": y", "no buffer", "16 bytes"}));
}

TEST_F(Buffers, StagingGrowsAndIsKept) {
  NEEDS_SIMULATED_CUDA("device allocations are counted by the stand-in only");
  auto loaded = load(one_in_one_out(plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {64, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in(Place::kPageable, 64 * 8);
  Buffer out(Place::kPageable, 64 * 8);
  TensorArg x(ScalarType::Float, {64, 2}, in);
  TensorArg y(ScalarType::Float, {64, 2}, out);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  const Calls calls;
  for (const int32_t rows : {1, 64, 7, 33, 64}) {
    x.resize({rows, 2});
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  }
  EXPECT_EQ(calls.cuda("cudaMalloc"), 0);
  EXPECT_EQ(calls.cuda("cudaFree"), 0);
}

TEST_F(Buffers, AnAddressThatComesBackAsAnotherKindIsSeenAsThatKind) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  ASSERT_EQ(loaded.error, Error::Ok);
  TensorArg x(ScalarType::Float, {4}, nullptr);
  TensorArg y(ScalarType::Float, {4}, nullptr);
  for (int i = 0; i < 2; ++i) {
    for (const Place place : kAllPlaces) {
      Buffer in = filled(place, kIn);
      Buffer out(place, 16);
      x.set_data(in.data());
      y.set_data(out.data());
      ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok) << name_of(place);
      ASSERT_EQ(out.read<float>(), kOut) << name_of(place);
    }
  }
}

TEST_F(Buffers, NonContiguousInputIsRefusedByName) {
  auto loaded = load(one_in_one_out(plans::add_one({2, 2})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, kIn);
  Buffer out(Place::kPageable, 16);
  TensorArg x(ScalarType::Float, {2, 2}, in);
  TensorArg y(ScalarType::Float, {2, 2}, out);
  x.permute({1, 0});
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&x, &y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "contiguous"}));
}

class IntegratedGpu : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    NEEDS_SIMULATED_CUDA("an integrated GPU is simulated only");
    set_cuda("integrated", 1);
  }
};

TEST_F(IntegratedGpu, HostMemoryTheDeviceCanUseIsBoundInPlace) {
  auto loaded = load(one_in_one_out(plans::add_one({4})));
  ASSERT_EQ(loaded.error, Error::Ok);
  for (const Place place : {Place::kPageable, Place::kPinned, Place::kManaged}) {
    Buffer in = filled(place, kIn);
    Buffer out(place, 16);
    TensorArg x(ScalarType::Float, {4}, in);
    TensorArg y(ScalarType::Float, {4}, out);
    const Calls calls;
    ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok) << name_of(place);
    EXPECT_EQ(calls.cuda("cudaMemcpyAsync"), 0) << name_of(place);
    EXPECT_EQ(out.read<float>(), kOut) << name_of(place);
  }
}

TEST_F(IntegratedGpu, DeviceMemoryStillWorks) {
  AddOne add;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

class Alignment : public ContractTest {
 protected:
  // Device buffers that many bytes past an aligned address.
  static AddOne at(size_t input_offset, size_t output_offset, std::vector<BackendOption> options = {}) {
    LoadRequest request(one_in_one_out(plans::add_one({4})));
    request.options = std::move(options);
    return AddOne(request, filled(Place::kDevice, kIn, 0, input_offset), Buffer(Place::kDevice, 16, 0, output_offset));
  }
};

TEST_F(Alignment, LessAlignedDeviceBuffersGiveTheRightAnswer) {
  AddOne add = at(16, 48);
  const ScopedLog log;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_F(Alignment, TensorRTNeverSeesALessAlignedAddress) {
  NEEDS_SIMULATED_CUDA("addresses given to TensorRT are checked by the stand-in only");
  set_tensorrt("alignment", "256");
  AddOne add = at(128, 16);
  const ScopedLog log;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_F(Alignment, IsLoggedOncePerTensorWithCostAndRemedy) {
  AddOne add = at(16, 16);
  const ScopedLog log;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(add.run(), Error::Ok);
  }
  EXPECT_EQ(log.count({": x", "256", "copied"}), 1) << log.text();
  EXPECT_EQ(log.count({": y", "256", "copied"}), 1) << log.text();
  EXPECT_TRUE(log.has({"plan", "alignment"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(Alignment, AssumeAlignmentLowersTheBound) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are counted by the stand-in only");
  AddOne add = at(16, 16, {option("assume_alignment", 16)});
  const Calls calls;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(calls.cuda("cudaMemcpyAsync"), 0);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_F(Alignment, AssumeAlignmentStillCopiesWhatIsBelowIt) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are counted by the stand-in only");
  AddOne add = at(64, 32, {option("assume_alignment", 64)});
  const Calls calls;
  const ScopedLog log;
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(calls.cuda("cudaMemcpyAsync"), 1);  // the output only
  EXPECT_EQ(add.out.read<float>(), kOut);
}

}  // namespace
}  // namespace contract
