// spec: execute steps 3 and 5: ranks, bounds of every profile, inferred and resized outputs. Cases 10 and 14.
#include "rig/fixture.h"

namespace contract {
namespace {

// Two profiles with a gap between them: rows 1..4 and 8..16, columns always 2.
std::string two_profiles() { return plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {4, 2}}, {{8, 2}, {8, 2}, {16, 2}}}); }

// x + 1 over rows × 2 floats in host memory, with an output that can grow to 64 rows.
struct Rows {
  explicit Rows(int32_t rows)
      : in(Place::kPageable, 64 * 2 * sizeof(float)),
        out(Place::kPageable, 64 * 2 * sizeof(float)),
        x(ScalarType::Float, {rows, 2}, in),
        y(ScalarType::Float, {64, 2}, out) {
    in.write(std::vector<float>(64 * 2, static_cast<float>(rows)));
  }
  Error run(Loaded& loaded) { return loaded->execute({&x, &y}); }
  testing::AssertionResult right(int32_t rows) const {
    if (y.sizes() != std::vector<int32_t>{rows, 2}) {
      return testing::AssertionFailure() << "shape " << testing::PrintToString(y.sizes());
    }
    const std::vector<float> want(static_cast<size_t>(rows) * 2, static_cast<float>(rows) + 1);
    const std::vector<float> got = out.read<float>(want.size());
    return got == want ? testing::AssertionSuccess() : testing::AssertionFailure() << testing::PrintToString(got);
  }
  Buffer in;
  Buffer out;
  TensorArg x;
  TensorArg y;
};

class Profiles : public ContractTest {};

TEST_F(Profiles, ShapeBelowEveryProfileIsRefusedWithTheRanges) {
  auto loaded = load(one_in_one_out(plans::add_one({-1, 2}, {{{2, 2}, {2, 2}, {4, 2}}, {{8, 2}, {8, 2}, {16, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Rows rows(1);
  const ScopedLog log;
  EXPECT_EQ(rows.run(loaded), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "1", "2", "4"}));
}

TEST_F(Profiles, ShapeAboveEveryProfileIsRefusedWithTheRanges) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Rows rows(17);
  const ScopedLog log;
  EXPECT_EQ(rows.run(loaded), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "17", "8", "16"}));
}

TEST_F(Profiles, ShapeInTheGapIsRefusedWithBothRanges) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Rows rows(6);
  const ScopedLog log;
  EXPECT_EQ(rows.run(loaded), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "6", "1", "4", "8", "16"}));
}

TEST_F(Profiles, StaticDimensionMustMatch) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in(Place::kPageable, 64);
  Buffer out(Place::kPageable, 64);
  TensorArg x(ScalarType::Float, {2, 3}, in);
  TensorArg y(ScalarType::Float, {2, 3}, out);
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&x, &y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "dimension 1", "3", "2"}));
}

TEST_F(Profiles, RankMustMatch) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in(Place::kPageable, 64);
  Buffer out(Place::kPageable, 64);
  TensorArg x(ScalarType::Float, {4}, in);
  TensorArg y(ScalarType::Float, {2, 2}, out);
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&x, &y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "rank", "1", "2"}));
}

TEST_F(Profiles, ShapeThatOnlyTheSecondAdmitsUsesTheSecond) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Rows rows(9);
  EXPECT_EQ(rows.run(loaded), Error::Ok);
  EXPECT_TRUE(rows.right(9));
}

TEST_F(Profiles, FirstThatAdmitsAllInputsIsUsed) {
  NEEDS_SIMULATED_CUDA("TensorRT's calls are counted by the stand-in only");
  auto loaded = load(one_in_one_out(plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {8, 2}}, {{1, 2}, {2, 2}, {16, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Rows small(4);
  const Calls calls;
  EXPECT_EQ(small.run(loaded), Error::Ok);
  EXPECT_EQ(calls.tensorrt("IExecutionContext::setOptimizationProfileAsync"), 0);
}

TEST_F(Profiles, AllInputsMustFitOneProfileTogether) {
  // Each input alone fits some profile; no profile takes both.
  auto loaded = load(two_in_one_out(plans::add_rows({{{1, 2}, {1, 2}, {4, 2}}, {{8, 2}, {8, 2}, {16, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer memory(Place::kPageable, 64 * 8);
  Buffer out(Place::kPageable, 64 * 8);
  TensorArg a(ScalarType::Float, {2, 2}, memory);
  TensorArg b(ScalarType::Float, {8, 2}, memory);
  TensorArg y(ScalarType::Float, {64, 2}, out);
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&a, &b, &y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({"profile", "together"}));
}

TEST_F(Profiles, SwitchingBackAndForthStaysRight) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  for (const int32_t rows : {2, 9, 3, 16, 8, 4, 4, 12, 1}) {
    Rows run(rows);
    ASSERT_EQ(run.run(loaded), Error::Ok) << rows;
    ASSERT_TRUE(run.right(rows)) << rows;
  }
}

// TensorRT drops every shape with the profile, also of an input whose own shape stays.
TEST_F(Profiles, SwitchingSetsTheShapesThatStayAgain) {
  auto loaded = load(two_in_one_out(plans::add_rows({{{1, 2}, {1, 2}, {4, 2}}, {{1, 2}, {8, 2}, {16, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer ones = filled(Place::kPageable, std::vector<float>(32, 1));
  Buffer row = filled(Place::kPageable, std::vector<float>{3, 3});
  Buffer out(Place::kPageable, 16 * 8);
  TensorArg b(ScalarType::Float, {1, 2}, row);
  for (const int32_t rows : {2, 9, 3, 16}) {
    TensorArg a(ScalarType::Float, {rows, 2}, ones);
    TensorArg y(ScalarType::Float, {16, 2}, out);
    ASSERT_EQ(loaded->execute({&a, &b, &y}), Error::Ok) << rows;
    const auto count = static_cast<size_t>(rows) * 2;
    ASSERT_EQ(out.read<float>(count), std::vector<float>(count, 4)) << rows;
  }
}

TEST_F(Profiles, SwitchingHappensOnlyWhenNeeded) {
  NEEDS_SIMULATED_CUDA("TensorRT's calls are counted by the stand-in only");
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  const Calls calls;
  for (const int32_t rows : {2, 3, 9, 10, 11, 4}) {
    Rows run(rows);
    ASSERT_EQ(run.run(loaded), Error::Ok) << rows;
  }
  EXPECT_EQ(calls.tensorrt("IExecutionContext::setOptimizationProfileAsync"), 2);
}

TEST_F(Profiles, RefusedShapeLeavesTheNextCallRight) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  const ScopedLog log;
  for (const int32_t rows : {2, 6, 9, 40, 3}) {
    Rows run(rows);
    const bool fits = rows != 6 && rows != 40;
    ASSERT_EQ(run.run(loaded), fits ? Error::Ok : Error::InvalidArgument) << rows;
    if (fits) {
      ASSERT_TRUE(run.right(rows)) << rows;
    }
  }
}

TEST_F(Profiles, OutputThatCannotHoldTheShapeIsRefusedByName) {
  auto loaded = load(one_in_one_out(two_profiles()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Rows rows(9);
  TensorArg small(ScalarType::Float, {4, 2}, rows.out);
  const ScopedLog log;
  EXPECT_NE(loaded->execute({&rows.x, &small}), Error::Ok);
  EXPECT_TRUE(log.has({": y"}));
}

class Scalars : public ContractTest {
 protected:
  Error run(std::vector<int64_t> engine_shape, std::vector<int32_t> output_sizes) {
    auto loaded = load(one_in_one_out(plans::add_one(engine_shape)));
    EXPECT_EQ(loaded.error, Error::Ok);
    Buffer in = filled(Place::kPageable, std::vector<float>{2, 2});
    out_ = std::make_unique<Buffer>(Place::kPageable, 8);
    TensorArg x(ScalarType::Float, std::vector<int32_t>(engine_shape.begin(), engine_shape.end()), in);
    y_ = std::make_unique<TensorArg>(ScalarType::Float, output_sizes, *out_);
    return loaded->execute({&x, y_.get()});
  }
  std::unique_ptr<Buffer> out_;
  std::unique_ptr<TensorArg> y_;
};

TEST_F(Scalars, ZeroDimensionalOutputTakesAnEnginesOne) {
  EXPECT_EQ(run({1}, {}), Error::Ok);
  EXPECT_EQ(out_->read<float>(1), std::vector<float>{3});
  EXPECT_TRUE(y_->sizes().empty());
}

TEST_F(Scalars, OneElementOutputTakesAnEnginesOne) {
  EXPECT_EQ(run({1}, {1}), Error::Ok);
  EXPECT_EQ(out_->read<float>(1), std::vector<float>{3});
}

TEST_F(Scalars, ZeroDimensionalEngineAndOutput) {
  EXPECT_EQ(run({}, {}), Error::Ok);
  EXPECT_EQ(out_->read<float>(1), std::vector<float>{3});
}

TEST_F(Scalars, ZeroDimensionalOutputRefusesTwoElements) {
  const ScopedLog log;
  EXPECT_NE(run({2}, {}), Error::Ok);
  EXPECT_TRUE(log.has({": y", "2"}));
}

TEST_F(Scalars, ZeroDimensionalOutputTakesOneByOne) {
  EXPECT_EQ(run({1, 1}, {}), Error::Ok);
  EXPECT_EQ(out_->read<float>(1), std::vector<float>{3});
}

class EmptyTensors : public ContractTestWith<Place> {};

TEST_P(EmptyTensors, ZeroRowsRunAndResizeTheOutput) {
  auto loaded = load(one_in_one_out(plans::add_one({-1, 2}, {{{0, 2}, {2, 2}, {4, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in(GetParam(), 32);
  Buffer out(GetParam(), 32);
  TensorArg x(ScalarType::Float, {0, 2}, in);
  TensorArg y(ScalarType::Float, {4, 2}, out);
  EXPECT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_EQ(y.sizes(), (std::vector<int32_t>{0, 2}));
}

INSTANTIATE_TEST_SUITE_P(From, EmptyTensors, testing::ValuesIn(kAllPlaces), place_name);

TEST_F(Scalars, NullPointerWithZeroBytesIsAccepted) {
  auto loaded = load(one_in_one_out(plans::add_one({-1, 2}, {{{0, 2}, {2, 2}, {4, 2}}})));
  ASSERT_EQ(loaded.error, Error::Ok);
  TensorArg x(ScalarType::Float, {0, 2}, nullptr);
  TensorArg y(ScalarType::Float, {0, 2}, nullptr);
  EXPECT_EQ(loaded->execute({&x, &y}), Error::Ok);
}

class Inference : public ContractTest {};

TEST_F(Inference, DataDependentOutputIsRefusedByName) {
  const ScopedLog log;
  auto loaded = load(one_in_one_out(plans::data_dependent()));
  if (loaded.error == Error::Ok) {
    Buffer in(Place::kPageable, 16);
    Buffer out(Place::kPageable, 16);
    TensorArg x(ScalarType::Float, {4}, in);
    TensorArg y(ScalarType::Float, {4}, out);
    loaded.error = loaded->execute({&x, &y});
  }
  EXPECT_NE(loaded.error, Error::Ok);
  EXPECT_TRUE(log.has({": y", "data"}));
}

}  // namespace
}  // namespace contract
