// spec: every message at most 256 bytes after formatting, with the longest names, and still naming the cause.
#include "rig/fixture.h"

namespace contract {
namespace {

constexpr size_t kLongestName = 128;

std::string longest(char first) { return std::string(1, first) + std::string(kLongestName - 1, 'n'); }
const std::string kX = longest('x');
const std::string kY = longest('y');
const std::string kZ = longest('z');

// y = x + 1 over rows × 2, two profiles, with the longest names.
standins::Plan plan() {
  standins::Plan made;
  made.input(kX, DataType::kFloat32, {-1, 2}).output(kY, DataType::kFloat32, {-1, 2});
  made.increments(kX, kY, 1);
  made.profile({{kX, {{1, 2}, {2, 2}, {4, 2}}}});
  made.profile({{kX, {{1000000000, 2}, {1000000000, 2}, {2000000000, 2}}}});
  return made;
}

BlobText text() { return {{{kX, true}, {kY, false}}, {}, 0}; }

// Tagged for the GPU: memory for host buffers of the largest shape would not fit.
LoadRequest request() {
  LoadRequest made(make_blob(text(), standins::write_plan(plan())));
  made.compile_specs = {{"target_device", "cuda:0"}};
  return made;
}

// Runs a failing call, or a refused load, and gives the words that its message must still hold.
struct Scenario : Named {
  Error (*run)();
  std::vector<std::string> words;
};

Error refused_load(const BlobText& blob_text, const standins::Plan& engine, std::vector<BackendOption> options = {}) {
  LoadRequest request(make_blob(blob_text, standins::write_plan(engine)));
  request.options = std::move(options);
  return load(request).error;
}

// Calls with one of both arguments replaced.
Error execute_with(ScalarType x_dtype, std::vector<int32_t> x_sizes, ScalarType y_dtype, std::vector<int32_t> y_sizes,
                   bool x_null = false, bool y_null = false) {
  auto loaded = load(request());
  EXPECT_EQ(loaded.error, Error::Ok);
  Buffer in = filled(Place::kPageable, std::vector<float>(32, 1));
  Buffer out(Place::kPageable, 128);
  TensorArg x(x_dtype, std::move(x_sizes), x_null ? nullptr : in.data());
  TensorArg y(y_dtype, std::move(y_sizes), y_null ? nullptr : out.data());
  return loaded->execute({&x, &y});
}

Error misaligned() {
  auto loaded = load(request());
  Buffer in = filled(Place::kDevice, std::vector<float>(4, 1), 0, 16);
  Buffer out(Place::kDevice, 16, 0, 16);
  TensorArg x(ScalarType::Float, {2, 2}, in);
  TensorArg y(ScalarType::Float, {2, 2}, out);
  return loaded->execute({&x, &y});
}

standins::Plan cache_plan(bool aliased) {
  standins::Plan made;
  made.input(kX, DataType::kFloat32, {4});
  aliased ? made.alias(kY, kX, DataType::kFloat32, {4}) : made.output(kY, DataType::kFloat32, {4});
  return made.increments(kX, kY, 1);
}

Error host_cache() {
  BlobText blob_text = text();
  blob_text.aliases = {{kY, kX, ""}};
  auto loaded = load(make_blob(blob_text, standins::write_plan(cache_plan(true))));
  Buffer cache = filled(Place::kPageable, std::vector<float>(4, 0));
  TensorArg x(ScalarType::Float, {4}, cache);
  TensorArg y(ScalarType::Float, {4}, cache);
  return loaded->execute({&x, &y});
}

Error alias_not_in_engine() {
  BlobText blob_text = text();
  blob_text.aliases = {{kY, kX, ""}};
  return refused_load(blob_text, cache_plan(false));
}

Error alias_of_unknown_output() {
  BlobText blob_text = text();
  blob_text.aliases = {{kZ, kX, ""}};
  return refused_load(blob_text, cache_plan(false));
}

Error unknown_binding() {
  BlobText blob_text = text();
  blob_text.bindings[0].name = kZ;
  return refused_load(blob_text, plan());
}

Error binding_twice() {
  BlobText blob_text = text();
  blob_text.bindings.push_back({kX, true});
  return refused_load(blob_text, plan());
}

Error on_host() {
  standins::Plan made = plan();
  made.tensor(kX).on_host = true;
  return refused_load(text(), made);
}

Error vectorised() {
  standins::Plan made = plan();
  made.tensor(kX).format = 1;
  made.tensor(kX).components = 8;
  made.tensor(kX).vectorized_dim = 1;
  return refused_load(text(), made);
}

Error of_a_strange_dtype() {
  standins::Plan made;
  made.input(kX, DataType::kFp8, {4}).output(kY, DataType::kFp8, {4}).node("identity", {kX}, kY);
  return refused_load(text(), made);
}

Error long_refusal() {
  standins::Plan made = plan();
  made.load_refusal = std::string(1000, 'r');
  return refused_load(text(), made);
}

Error unknown_option() { return refused_load(text(), plan(), {option(std::string(63, 'k'), true)}); }

Error bad_budget() { return refused_load(text(), plan(), {option("weight_streaming_budget", std::string(255, '9'))}); }

class Messages : public ContractTestWith<Scenario> {};

TEST_P(Messages, FitAndNameTheCauseWithTheLongestNames) {
  const ScopedLog log;
  (void)GetParam().run();
  ASSERT_FALSE(log.lines().empty());
  EXPECT_TRUE(log.nothing_cut());
  for (const LogLine& line : log.lines()) {
    EXPECT_LE(line.text.size(), 255U) << line.text;  // and its end makes 256
  }
  for (const std::string& word : GetParam().words) {
    EXPECT_TRUE(log.has({word}));
  }
}

constexpr auto kFloat = ScalarType::Float;

INSTANTIATE_TEST_SUITE_P(
    Every, Messages,
    testing::Values(
        Scenario{
            "input_dtype", [] { return execute_with(ScalarType::Int, {2, 2}, kFloat, {2, 2}); }, {"int32", "float32"}},
        Scenario{
            "output_dtype", [] { return execute_with(kFloat, {2, 2}, ScalarType::Int, {2, 2}); }, {"int32", "float32"}},
        Scenario{"rank", [] { return execute_with(kFloat, {4}, kFloat, {2, 2}); }, {"rank"}},
        Scenario{"bounds", [] { return execute_with(kFloat, {8, 2}, kFloat, {2, 2}); }, {"8", "2000000000"}},
        Scenario{"static_dimension", [] { return execute_with(kFloat, {2, 3}, kFloat, {2, 2}); }, {"3", "2"}},
        Scenario{"null_input", [] { return execute_with(kFloat, {2, 2}, kFloat, {2, 2}, true, false); }, {"no buffer"}},
        Scenario{
            "null_output", [] { return execute_with(kFloat, {2, 2}, kFloat, {2, 2}, false, true); }, {"no buffer"}},
        Scenario{"output_too_small", [] { return execute_with(kFloat, {4, 2}, kFloat, {2, 2}); }, {"4"}},
        Scenario{"alignment", &misaligned, {"256"}}, Scenario{"host_cache", &host_cache, {"host memory"}},
        Scenario{"alias_not_in_engine", &alias_not_in_engine, {"alias"}},
        Scenario{"alias_of_unknown_output", &alias_of_unknown_output, {"alias"}},
        Scenario{"unknown_binding", &unknown_binding, {"engine"}}, Scenario{"binding_twice", &binding_twice, {"twice"}},
        Scenario{"host_located", &on_host, {"host"}}, Scenario{"vectorised", &vectorised, {"linear"}},
        Scenario{"dtype_without_executorch_type", &of_a_strange_dtype, {"dtype 6"}},
        Scenario{"tensorrts_text", &long_refusal, {"refused the plan", "TensorRT: rrrr"}},
        Scenario{"unknown_option", &unknown_option, {"kkkk", "cuda_graph"}},
        Scenario{"bad_budget", &bad_budget, {"weight_streaming_budget"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace contract
