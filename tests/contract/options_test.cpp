// spec: "Load-time options" and "Compile specs and load-time options", row by row.
#include "rig/fixture.h"

namespace contract {
namespace {

class Options : public ContractTest {
 protected:
  static Loaded with(std::vector<BackendOption> options, std::vector<std::pair<std::string, std::string>> specs = {}) {
    LoadRequest request(one_in_one_out(plans::add_one({4})));
    request.options = std::move(options);
    request.compile_specs = std::move(specs);
    return load(request);
  }
  static testing::AssertionResult names_key_and_known_keys(const ScopedLog& log, const std::string& key) {
    const auto named = log.has(
        {key, "weight_streaming_budget", "device_id", "shared_activation_memory", "assume_alignment", "cuda_graph"});
    return named ? log.nothing_cut() : named;
  }
};

TEST_F(Options, UnknownKeyIsInvalidArgumentNamingTheKnownOnes) {
  const ScopedLog log;
  EXPECT_EQ(with({option("cuda_graphs", true)}).error, Error::InvalidArgument);
  EXPECT_TRUE(names_key_and_known_keys(log, "cuda_graphs"));
}

TEST_F(Options, UnknownKeyBesideKnownOnesIsRefused) {
  const ScopedLog log;
  EXPECT_EQ(with({option("device_id", 0), option("verbose", 1)}).error, Error::InvalidArgument);
  EXPECT_TRUE(log.has({"verbose"}));
}

struct WrongType : Named {
  BackendOption value;
};

class OptionTypes : public ContractTestWith<WrongType> {};

TEST_P(OptionTypes, WrongTypeIsInvalidArgumentNamingTheKey) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {GetParam().value};
  const ScopedLog log;
  EXPECT_EQ(load(request).error, Error::InvalidArgument);
  EXPECT_TRUE(log.has({GetParam().value.key}));
  EXPECT_TRUE(log.nothing_cut());
}

INSTANTIATE_TEST_SUITE_P(
    Every, OptionTypes,
    testing::Values(WrongType{"budget_bool", option("weight_streaming_budget", true)},
                    WrongType{"device_id_bool", option("device_id", true)},
                    WrongType{"device_id_string", option("device_id", "0")},
                    WrongType{"shared_activation_memory_int", option("shared_activation_memory", 1)},
                    WrongType{"shared_activation_memory_string", option("shared_activation_memory", "true")},
                    WrongType{"assume_alignment_bool", option("assume_alignment", true)},
                    WrongType{"assume_alignment_string", option("assume_alignment", "64")},
                    WrongType{"cuda_graph_int", option("cuda_graph", 1)},
                    WrongType{"cuda_graph_string", option("cuda_graph", "yes")}),
    [](const auto& tested) { return std::string(tested.param.name); });

struct Value : Named {
  BackendOption value;
  bool accepted;
};

class OptionValues : public ContractTestWith<Value> {};

TEST_P(OptionValues, LimitsHold) {
  LoadRequest request(one_in_one_out(plans::add_one({4})));
  request.options = {GetParam().value};
  const ScopedLog log;
  const Error error = load(request).error;
  if (GetParam().accepted) {
    EXPECT_EQ(error, Error::Ok) << log.text();
  } else {
    EXPECT_EQ(error, Error::InvalidArgument);
    EXPECT_TRUE(log.has({GetParam().value.key}));
  }
  EXPECT_TRUE(log.nothing_cut());
}

INSTANTIATE_TEST_SUITE_P(
    Of, OptionValues,
    testing::Values(Value{"device_id_0", option("device_id", 0), true},
                    Value{"device_id_negative", option("device_id", -1), false},
                    Value{"assume_alignment_16", option("assume_alignment", 16), true},
                    Value{"assume_alignment_256", option("assume_alignment", 256), true},
                    Value{"assume_alignment_8", option("assume_alignment", 8), false},
                    Value{"assume_alignment_512", option("assume_alignment", 512), false},
                    Value{"assume_alignment_100", option("assume_alignment", 100), false},
                    Value{"assume_alignment_0", option("assume_alignment", 0), false},
                    Value{"budget_int_0", option("weight_streaming_budget", 0), true},
                    Value{"budget_int_negative", option("weight_streaming_budget", -1), false},
                    Value{"budget_string", option("weight_streaming_budget", "4096"), true},
                    Value{"budget_largest", option("weight_streaming_budget", "9223372036854775807"), true},
                    Value{"budget_overflow", option("weight_streaming_budget", "9223372036854775808"), false},
                    Value{"budget_sign", option("weight_streaming_budget", "+1"), false},
                    Value{"budget_minus", option("weight_streaming_budget", "-1"), false},
                    Value{"budget_space", option("weight_streaming_budget", " 1"), false},
                    Value{"budget_trailing_space", option("weight_streaming_budget", "1 "), false},
                    Value{"budget_hex", option("weight_streaming_budget", "0x10"), false},
                    Value{"budget_fraction", option("weight_streaming_budget", "1.5"), false},
                    Value{"budget_unit", option("weight_streaming_budget", "1MB"), false},
                    Value{"budget_empty_is_unset", option("weight_streaming_budget", ""), true}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(Options, EmptyBudgetOptionIsUnsetWithALogLine) {
  const ScopedLog log;
  EXPECT_EQ(with({option("weight_streaming_budget", "")}).error, Error::Ok);
  EXPECT_TRUE(log.has({"weight_streaming_budget", "empty"}));
}

TEST_F(Options, ShapesOfTheBudgetSpecThatAreRefused) {
  for (const char* text : {"", "-1", "+1", " 1", "0x10", "12abc", "9223372036854775808", "1.0"}) {
    const ScopedLog log;
    EXPECT_NE(with({}, {{"weight_streaming_budget", text}}).error, Error::Ok) << "'" << text << "'";
    EXPECT_TRUE(log.has({"weight_streaming_budget"})) << "'" << text << "'";
  }
}

TEST_F(Options, BudgetSpecTwiceIsRefused) {
  const ScopedLog log;
  EXPECT_NE(with({}, {{"weight_streaming_budget", "1"}, {"weight_streaming_budget", "1"}}).error, Error::Ok);
  EXPECT_TRUE(log.has({"weight_streaming_budget", "twice"}));
}

TEST_F(Options, TargetDeviceThatAgreesIsAccepted) {
  EXPECT_EQ(with({}, {{"target_device", "cuda:0"}}).error, Error::Ok);
}

TEST_F(Options, TargetDeviceThatDisagreesIsRefusedNamingBoth) {
  const ScopedLog log;
  EXPECT_NE(with({}, {{"target_device", "cuda:3"}}).error, Error::Ok);
  EXPECT_TRUE(log.has({"target_device", "GPU 3", "device_id", "GPU 0"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(Options, TargetDeviceIsNotCheckedWithADeviceIdOption) {
  EXPECT_EQ(with({option("device_id", 0)}, {{"target_device", "cuda:3"}}).error, Error::Ok);
}

TEST_F(Options, DeviceIdOfAGpuThatIsNotThereIsInvalidArgument) {
  const ScopedLog log;
  EXPECT_EQ(with({option("device_id", 15)}).error, Error::InvalidArgument);
  EXPECT_TRUE(log.has({"device_id", "15"}));
}

TEST_F(Options, CompileSpecsOfOthersAreIgnored) { EXPECT_EQ(with({}, {{"something_else", "1"}}).error, Error::Ok); }

}  // namespace
}  // namespace contract
