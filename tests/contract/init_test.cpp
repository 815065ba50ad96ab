// spec: "init", steps 6, 7, 9, 11 and 13, and "a failed init leaves nothing"; case 17.
#include "rig/allocations.h"
#include "rig/fixture.h"

namespace contract {
namespace {

const std::vector<float> kIn = {1, 2, 3, 4};

class Init : public ContractTest {
 protected:
  static testing::AssertionResult runs(Loaded& loaded) {
    if (loaded.error != Error::Ok) {
      return testing::AssertionFailure() << "load: " << to_string(loaded.error);
    }
    Buffer in = filled(Place::kPageable, kIn);
    Buffer out(Place::kPageable, 16);
    TensorArg x(ScalarType::Float, {4}, in);
    TensorArg y(ScalarType::Float, {4}, out);
    const Error error = loaded->execute({&x, &y});
    if (error != Error::Ok) {
      return testing::AssertionFailure() << "execute: " << to_string(error);
    }
    return out.read<float>() == std::vector<float>{2, 3, 4, 5}
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << testing::PrintToString(out.read<float>());
  }
};

TEST_F(Init, OneRuntimeForTheProcessIsSharedByAllEnginesOfADevice) {
  const Calls calls;
  const auto first = load(one_in_one_out(plans::add_one({4})));
  const auto second = load(one_in_one_out(plans::add_one({4})));
  const auto third = load(one_in_one_out(plans::add_one({4})));
  EXPECT_EQ(third.error, Error::Ok);
  EXPECT_LE(calls.tensorrt("createInferRuntime_INTERNAL"), 1U);
}

TEST_F(Init, AvailabilityCreatesNoRuntimeAndTouchesNoCuda) {
  const Calls calls;
  EXPECT_TRUE(backend()->is_available());
  EXPECT_EQ(calls.tensorrt("createInferRuntime_INTERNAL"), 0U);
  EXPECT_EQ(calls.cuda(), 0U);
}

TEST_F(Init, PlanIsNotCopied) {
  constexpr uint64_t kPlanBytes = 16 << 20;
  const LoadRequest request(one_in_one_out(plans::of_size(kPlanBytes)));
  const AllocationWatch watch;
  const auto loaded = load(request);
  EXPECT_EQ(loaded.error, Error::Ok);
  EXPECT_GT(watch.count(), 0) << "the watch sees nothing";
  EXPECT_LT(watch.bytes(), kPlanBytes / 16);
}

TEST_F(Init, ProgramBytesAreFreedBeforeItReturns) {
  EXPECT_TRUE(load(one_in_one_out(plans::add_one({4}))).blob_was_freed);
}

TEST_F(Init, NamesComeFromTheEngineWhenTheBlobHasNone) {
  auto loaded = load(make_blob({}, plans::add_one({4})));
  EXPECT_TRUE(runs(loaded));
}

TEST_F(Init, OrderOfArgumentsIsTheOrderOfTheBlobsBindings) {
  // The engine's order is x0, x1, y; the blob's y is first and the inputs are swapped.
  auto loaded = load(make_blob({{{"y", false}, {"b", true}, {"a", true}}, {}, 0}, plans::difference()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer first = filled(Place::kPageable, std::vector<float>(4, 1));
  Buffer second = filled(Place::kPageable, std::vector<float>(4, 10));
  Buffer out(Place::kPageable, 16);
  TensorArg b(ScalarType::Float, {4}, first);
  TensorArg a(ScalarType::Float, {4}, second);
  TensorArg y(ScalarType::Float, {4}, out);
  ASSERT_EQ(loaded->execute({&b, &a, &y}), Error::Ok);
  EXPECT_EQ(out.read<float>(), std::vector<float>(4, 9));
}

struct Disagreement : Named {
  std::vector<BindingText> bindings;
  std::vector<std::string> words;
};

class Bindings : public ContractTestWith<Disagreement> {};

TEST_P(Bindings, ThatDisagreeAreRefusedSayingWhich) {
  const ScopedLog log;
  EXPECT_EQ(load(make_blob({GetParam().bindings, {}, 0}, plans::add_one({4}))).error, Error::InvalidProgram);
  for (const std::string& word : GetParam().words) {
    EXPECT_TRUE(log.has({word}));
  }
  EXPECT_TRUE(log.nothing_cut());
}

INSTANTIATE_TEST_SUITE_P(
    Every, Bindings,
    testing::Values(Disagreement{"one_too_many", {{"x", true}, {"z", true}, {"y", false}}, {"3", "2"}},
                    Disagreement{"one_too_few", {{"x", true}}, {"1", "2"}},
                    Disagreement{"unknown_input", {{"w", true}, {"y", false}}, {": w"}},
                    Disagreement{"unknown_output", {{"x", true}, {"w", false}}, {": w"}},
                    Disagreement{"directions_swapped", {{"x", false}, {"y", true}}, {"input", "output"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

struct Unsupported : Named {
  std::string plan;
  std::vector<std::string> words;
};

class Step11 : public ContractTestWith<Unsupported> {};

TEST_P(Step11, IsRefusedByNameAtLoad) {
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(GetParam().plan)).error, Error::InvalidProgram);
  for (const std::string& word : GetParam().words) {
    EXPECT_TRUE(log.has({": x", word}));
  }
  EXPECT_TRUE(log.nothing_cut());
}

INSTANTIATE_TEST_SUITE_P(Every, Step11,
                         testing::Values(Unsupported{"shape_tensor", plans::shape_tensor_input(), {"shape"}},
                                         Unsupported{"host_located", plans::host_located_input(), {"host"}},
                                         Unsupported{"vectorised", plans::vectorised_input(), {"linear"}}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(Init, RankEightIsAccepted) {
  auto loaded = load(one_in_one_out(plans::add_one({1, 1, 1, 1, 1, 1, 1, 2})));
  ASSERT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, std::vector<float>{1, 2});
  Buffer out(Place::kPageable, 8);
  TensorArg x(ScalarType::Float, {1, 1, 1, 1, 1, 1, 1, 2}, in);
  TensorArg y(ScalarType::Float, {1, 1, 1, 1, 1, 1, 1, 2}, out);
  ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok);
  EXPECT_EQ(out.read<float>(), (std::vector<float>{2, 3}));
}

// Case 17: GPU memory grows on reload, mostly when loading fails.
class Reload : public ContractTest {
 protected:
  // Calls that only give something back: their failure cannot fail a load.
  static bool is_cleanup(const std::string& call) {
    return call == "cudaFree" || call == "cudaSetDevice" || call == "cudaGraphDestroy" ||
           call == "cudaGraphExecDestroy" || call == "cudaStreamDestroy" || call == "cudaEventDestroy";
  }
  size_t log_lines_ = 0;
};

TEST_F(Reload, HundredTimesLeavesNothing) {
  {
    const auto warm = load(one_in_one_out(plans::add_one({4})));
  }
  const Live before = live();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::Ok);
    ASSERT_EQ(live(), before) << "reload " << i;
  }
}

TEST_F(Reload, FailingAtEveryCallLeavesNothingAndTheNextLoadWorks) {
  NEEDS_SIMULATED_CUDA("calls fail on demand in the stand-in only");
  BlobText text = plans::cache_text();
  LoadRequest request(make_blob(text, plans::cache()));
  request.options = {option("shared_activation_memory", true), option("cuda_graph", true)};
  {
    ASSERT_EQ(load(request).error, Error::Ok);
  }
  const Live before = live();
  const ScopedLog log;
  for (const bool in_cuda : {true, false}) {
    for (uint64_t nth = 1; nth < 300; ++nth) {
      const uint64_t injected = injected_failures();
      if (in_cuda) {
        fail_cuda("*", nth, cudaErrorMemoryAllocation);
      } else {
        fail_tensorrt("*", nth);
      }
      {
        const auto loaded = load(request);
        if (injected_failures() == injected) {
          clear_failures();
          ASSERT_EQ(loaded.error, Error::Ok);
          break;
        }
        EXPECT_TRUE(loaded.error != Error::Ok || is_cleanup(last_injected()))
            << "call " << nth << " (" << last_injected() << ") failed and was ignored";
      }
      ASSERT_EQ(live(), before) << "call " << nth << " " << last_injected();
      ASSERT_EQ(load(request).error, Error::Ok) << "after call " << nth << " " << last_injected();
      log_lines_ += log.lines().size();
    }
  }
  EXPECT_GT(log_lines_, 0U);
  EXPECT_TRUE(log.nothing_cut());
}

}  // namespace
}  // namespace contract
