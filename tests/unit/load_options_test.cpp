#include "load_options.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "executorch_backend_tensorrt/options.h"
#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::BackendOptions;
using executorch::runtime::CompileSpec;
using executorch::runtime::Error;
using executorch::runtime::Result;
using testing::HasSubstr;

struct Spec {
  const char* key;
  std::string value;
};

Result<LoadOptions> read(BackendOptions<4> options, std::vector<Spec> specs = {}, int device_id = 0) {
  Metadata metadata;
  metadata.device_id = device_id;
  std::vector<CompileSpec> compile_specs;
  for (Spec& spec : specs) {
    compile_specs.push_back({spec.key, {spec.value.data(), spec.value.size()}});
  }
  const auto view = options.view();
  return read_load_options({view.data(), view.size()}, {compile_specs.data(), compile_specs.size()}, metadata);
}

template <size_t N, typename T>
BackendOptions<4> with(const char (&key)[N], T value) {
  BackendOptions<4> options;
  EXPECT_EQ(options.set_option(key, value), Error::Ok);
  return options;
}

const BackendOptions<4> kNone;

TEST(LoadOptions, Defaults) {
  const auto options = read(kNone, {}, 3);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(index_of(options->device), 3);
  EXPECT_FALSE(options->is_device_chosen);
  EXPECT_FALSE(options->is_device_tagged);
  EXPECT_FALSE(options->weight_streaming_budget.has_value());
  EXPECT_FALSE(options->shares_activation_memory);
  EXPECT_FALSE(options->uses_cuda_graph);
  EXPECT_EQ(options->alignment, 256U);
}

TEST(LoadOptions, EachOptionIsRead) {
  EXPECT_EQ(index_of(read(with(kDeviceId, 5))->device), 5);
  EXPECT_TRUE(read(with(kDeviceId, 0))->is_device_chosen);
  EXPECT_TRUE(read(with(kSharedActivationMemory, true))->shares_activation_memory);
  EXPECT_TRUE(read(with(kCudaGraph, true))->uses_cuda_graph);
  for (const int alignment : {16, 32, 64, 128, 256}) {
    EXPECT_EQ(read(with(kAssumeAlignment, alignment))->alignment, std::uint32_t(alignment));
  }
  EXPECT_EQ(*read(with(kWeightStreamingBudget, 12))->weight_streaming_budget, 12);
  EXPECT_EQ(*read(with(kWeightStreamingBudget, "0"))->weight_streaming_budget, 0);
  EXPECT_EQ(*read(with(kWeightStreamingBudget, "9223372036854775807"))->weight_streaming_budget, INT64_MAX);
}

TEST(LoadOptions, ZeroAndFalseAreValues) {
  EXPECT_FALSE(read(with(kSharedActivationMemory, false))->shares_activation_memory);
  EXPECT_FALSE(read(with(kCudaGraph, false))->uses_cuda_graph);
  EXPECT_EQ(*read(with(kWeightStreamingBudget, 0))->weight_streaming_budget, 0);
}

// Neither kind of text has a terminating zero of its own.
TEST(LoadOptions, TextsEndWhereTheirBytesDo) {
  const char digits[] = {'7', '9', ':', '1', '2', '3'};
  const Metadata metadata;
  const auto read_spec = [&](const char* key, const char* text, std::size_t size) {
    const CompileSpec spec = {key, {const_cast<char*>(text), size}};
    return read_load_options({}, {&spec, 1}, metadata);
  };
  EXPECT_EQ(*read_spec("weight_streaming_budget", digits, 1)->weight_streaming_budget, 7);
  EXPECT_FALSE(read_spec("weight_streaming_budget", digits, 3).ok());
  EXPECT_TRUE(read_spec("target_device", "cuda:01", 6).ok());
  EXPECT_TRUE(read_spec("target_device", "cpuda:7", 3).ok());

  executorch::runtime::BackendOption option{};
  std::strcpy(option.key, kWeightStreamingBudget);
  std::array<char, executorch::runtime::kMaxOptionValueLength> text;
  text.fill('0');
  text[text.size() - 1] = '5';
  option.value = text;
  const auto options = read_load_options({&option, 1}, {}, metadata);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(*options->weight_streaming_budget, 5);
}

struct BadOption {
  const char* name;
  BackendOptions<4> options;
  const char* message;
};

class RefusedOption : public testing::TestWithParam<BadOption> {};

TEST_P(RefusedOption, NamesItAndWhatIsKnown) {
  const unit::LogCapture log;
  EXPECT_EQ(read(GetParam().options).error(), Error::InvalidArgument);
  EXPECT_THAT(log.text(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Each, RefusedOption,
    testing::Values(
        BadOption{"UnknownKey", with("cuda_graphs", true), "cuda_graph; got cuda_graphs"},
        BadOption{"UnknownKeyNamesTheKnown", with("x", 1),
                  "weight_streaming_budget, device_id, shared_activation_memory, "
                  "assume_alignment, cuda_graph"},
        BadOption{"DeviceString", with(kDeviceId, "1"), "must be an int from 0; its type or value is wrong: device_id"},
        BadOption{"DeviceBool", with(kDeviceId, true), "wrong: device_id"},
        BadOption{"DeviceNegative", with(kDeviceId, -1), "wrong: device_id"},
        BadOption{"GraphInt", with(kCudaGraph, 1), "must be true or false; its type or value is wrong: cuda_graph"},
        BadOption{"SharedString", with(kSharedActivationMemory, "true"), "wrong: shared_activation_memory"},
        BadOption{"AlignmentTooSmall", with(kAssumeAlignment, 8),
                  "must be an int, a power of two from 16 to 256; its type or value is wrong: "},
        BadOption{"AlignmentTooLarge", with(kAssumeAlignment, 512), "16 to 256"},
        BadOption{"AlignmentNoPower", with(kAssumeAlignment, 48), "16 to 256"},
        BadOption{"AlignmentBool", with(kAssumeAlignment, true), "16 to 256"},
        BadOption{"BudgetNegativeInt", with(kWeightStreamingBudget, -1), "decimal digits"},
        BadOption{"BudgetBool", with(kWeightStreamingBudget, true), "decimal digits"},
        BadOption{"BudgetSign", with(kWeightStreamingBudget, "+1"), "decimal digits"},
        BadOption{"BudgetMinus", with(kWeightStreamingBudget, "-1"), "decimal digits"},
        BadOption{"BudgetSpace", with(kWeightStreamingBudget, " 1"), "decimal digits"},
        BadOption{"BudgetTrailing", with(kWeightStreamingBudget, "1 "), "decimal digits"},
        BadOption{"BudgetHex", with(kWeightStreamingBudget, "0x10"), "decimal digits"},
        BadOption{"BudgetFraction", with(kWeightStreamingBudget, "1.5"), "decimal digits"},
        BadOption{"BudgetOverflow", with(kWeightStreamingBudget, "9223372036854775808"), "below 2^63"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(LoadOptions, EmptyBudgetOptionIsUnsetAndTold) {
  const unit::LogCapture log;
  const auto options = read(with(kWeightStreamingBudget, ""), {{"weight_streaming_budget", "7"}});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(*options->weight_streaming_budget, 7);
  EXPECT_THAT(log.text(), HasSubstr("counts as not given"));
}

TEST(LoadOptions, OptionWinsOverSpec) {
  const auto options = read(with(kWeightStreamingBudget, 9), {{"weight_streaming_budget", "7"}});
  EXPECT_EQ(*options->weight_streaming_budget, 9);
}

struct BadSpec {
  const char* name;
  std::vector<Spec> specs;
  const char* message;
};

class RefusedSpec : public testing::TestWithParam<BadSpec> {};

TEST_P(RefusedSpec, IsAnInvalidProgram) {
  const unit::LogCapture log;
  EXPECT_EQ(read(kNone, GetParam().specs, 1).error(), Error::InvalidProgram);
  EXPECT_THAT(log.text(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Each, RefusedSpec,
    testing::Values(BadSpec{"BudgetSign", {{"weight_streaming_budget", "-1"}}, "decimal digits"},
                    BadSpec{"BudgetEmpty", {{"weight_streaming_budget", ""}}, "decimal digits"},
                    BadSpec{"BudgetZeroByte", {{"weight_streaming_budget", std::string("1\0", 2)}}, "decimal digits"},
                    BadSpec{"BudgetOverflow", {{"weight_streaming_budget", "9223372036854775808"}}, "decimal digits"},
                    BadSpec{"BudgetTwice",
                            {{"weight_streaming_budget", "1"}, {"weight_streaming_budget", "1"}},
                            "weight_streaming_budget is given twice"},
                    BadSpec{"TargetDisagrees", {{"target_device", "cuda:0"}}, "GPU 0 and the metadata's"},
                    BadSpec{"TargetOtherType", {{"target_device", "mps:1"}}, "cuda:N"},
                    BadSpec{"TargetLongerType", {{"target_device", "cudas:1"}}, "cuda:N"},
                    BadSpec{"TargetLongerCpu", {{"target_device", "cpus"}}, "cuda:N"},
                    BadSpec{"TargetCpuWithLetters", {{"target_device", "cpu:x"}}, "cuda:N"},
                    BadSpec{"TargetSign", {{"target_device", "cuda:-1"}}, "cuda:N"},
                    BadSpec{"TargetLetters", {{"target_device", "cuda:1x"}}, "cuda:N"},
                    BadSpec{"TargetTwice",
                            {{"target_device", "cuda:1"}, {"target_device", "cuda:1"}},
                            "target_device is given twice"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(LoadOptions, TargetDeviceMarksTheProgram) {
  for (const char* target : {"cuda:1", "CUDA:1"}) {
    const auto options = read(kNone, {{"target_device", target}}, 1);
    ASSERT_TRUE(options.ok()) << target;
    EXPECT_TRUE(options->is_device_tagged);
  }
  EXPECT_TRUE(read(kNone, {{"target_device", "cuda"}}, 0)->is_device_tagged);
  EXPECT_FALSE(read(kNone, {{"target_device", "cpu"}}, 1)->is_device_tagged);
}

TEST(LoadOptions, ChosenDeviceSkipsTheAgreement) {
  const auto options = read(with(kDeviceId, 2), {{"target_device", "cuda:0"}}, 1);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(index_of(options->device), 2);
}

TEST(LoadOptions, UnknownSpecsAreNotOurs) { EXPECT_TRUE(read(kNone, {{"precision", "whatever"}}).ok()); }

}  // namespace
}  // namespace executorch_backend_tensorrt
