// spec: "Dtypes: float32, float16, bfloat16, int8, uint8, int32, int64, bool map one to one. Others refused."
#include <numeric>

#include "rig/fixture.h"

namespace contract {
namespace {

struct Dtype : Named {
  DataType engine;
  ScalarType caller;
  size_t bytes;
};

constexpr Dtype kDtypes[] = {
    {"float32", DataType::kFloat32, ScalarType::Float, 4},      {"float16", DataType::kFloat16, ScalarType::Half, 2},
    {"bfloat16", DataType::kBFloat16, ScalarType::BFloat16, 2}, {"int8", DataType::kInt8, ScalarType::Char, 1},
    {"uint8", DataType::kUInt8, ScalarType::Byte, 1},           {"int32", DataType::kInt32, ScalarType::Int, 4},
    {"int64", DataType::kInt64, ScalarType::Long, 8},           {"bool", DataType::kBool, ScalarType::Bool, 1},
};

constexpr int kElements = 4;

// Bytes that are valid in every dtype, bool included.
std::vector<uint8_t> some_bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<uint8_t>(i % 2);
  }
  return bytes;
}

using Pair = std::tuple<Dtype, Dtype>;

class DtypePairs : public ContractTestWith<Pair> {};

std::string pair_name(const testing::TestParamInfo<Pair>& tested) {
  return std::string(std::get<0>(tested.param).name) + "_engine_" + std::get<1>(tested.param).name + "_caller";
}

TEST_P(DtypePairs, InputOfAnotherDtypeIsRefusedNamingBoth) {
  const auto [engine, caller] = GetParam();
  auto loaded = load(one_in_one_out(plans::copy(engine.engine, {kElements})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, some_bytes(kElements * 8));
  Buffer out(Place::kPageable, kElements * 8);
  TensorArg x(caller.caller, {kElements}, in);
  TensorArg y(engine.caller, {kElements}, out);

  const ScopedLog log;
  const Error error = loaded->execute({&x, &y});
  if (engine.engine == caller.engine) {
    EXPECT_EQ(error, Error::Ok);
    EXPECT_EQ(out.read<uint8_t>(kElements * engine.bytes), in.read<uint8_t>(kElements * engine.bytes));
  } else {
    EXPECT_EQ(error, Error::InvalidArgument);
    EXPECT_TRUE(log.has({": x", engine.name, caller.name}));
  }
}

TEST_P(DtypePairs, OutputOfAnotherDtypeIsRefusedNamingBoth) {
  const auto [engine, caller] = GetParam();
  auto loaded = load(one_in_one_out(plans::copy(engine.engine, {kElements})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, some_bytes(kElements * 8));
  Buffer out(Place::kPageable, kElements * 8);
  TensorArg x(engine.caller, {kElements}, in);
  TensorArg y(caller.caller, {kElements}, out);

  const ScopedLog log;
  const Error error = loaded->execute({&x, &y});
  if (engine.engine == caller.engine) {
    EXPECT_EQ(error, Error::Ok);
  } else {
    EXPECT_EQ(error, Error::InvalidArgument);
    EXPECT_TRUE(log.has({": y", engine.name, caller.name}));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DtypePairs, testing::Combine(testing::ValuesIn(kDtypes), testing::ValuesIn(kDtypes)),
                         pair_name);

class Dtypes : public ContractTest {};

TEST_F(Dtypes, CallersDtypeThatNoEngineHasIsRefused) {
  auto loaded = load(one_in_one_out(plans::copy(DataType::kInt64, {kElements})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in(Place::kPageable, kElements * 8);
  Buffer out(Place::kPageable, kElements * 8);
  TensorArg x(ScalarType::Double, {kElements}, in);  // as wide as int64
  TensorArg y(ScalarType::Long, {kElements}, out);
  const ScopedLog log;
  EXPECT_EQ(loaded->execute({&x, &y}), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "int64"}));
}

class EngineDtypes : public ContractTestWith<std::pair<const char*, DataType>> {};

TEST_P(EngineDtypes, WithoutAnExecutorchTypeAreRefusedAtLoadByName) {
  const ScopedLog log;
  const auto loaded = load(one_in_one_out(plans::copy(GetParam().second, {kElements})));
  EXPECT_EQ(loaded.error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({": x", "type " + std::to_string(static_cast<int>(GetParam().second))}));
  EXPECT_TRUE(log.nothing_cut());
}

INSTANTIATE_TEST_SUITE_P(Refused, EngineDtypes,
                         testing::Values(std::pair("float8", DataType::kFp8), std::pair("int4", DataType::kInt4),
                                         std::pair("float4", DataType::kFp4), std::pair("e8m0", DataType::kE8M0)),
                         [](const auto& tested) { return std::string(tested.param.first); });

}  // namespace
}  // namespace contract
