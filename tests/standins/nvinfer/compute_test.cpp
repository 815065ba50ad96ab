// What plans compute: operations, dtypes, broadcasting, aliases, chains.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "rig.h"

namespace standins {
namespace {

using testing::ElementsAre;

class Compute : public StandinTest {};

TEST_F(Compute, AddsWithADynamicBatch) {
  load(add_one_plan());
  for (int64_t rows : {2, 5}) {
    const DeviceBuffer x(std::vector<float>(static_cast<std::size_t>(rows) * 4, 2.5f));
    const DeviceBuffer y(static_cast<std::size_t>(rows) * 16);
    ASSERT_TRUE(context->setInputShape("x", dims({rows, 4})));
    bind("x", x);
    bind("y", y);
    EXPECT_EQ(context->inferShapes(0, nullptr), 0);
    EXPECT_EQ(context->getTensorShape("y").d[0], rows);
    run();
    EXPECT_EQ(y.read<float>(), std::vector<float>(static_cast<std::size_t>(rows) * 4, 3.5f));
  }
}

class Binary : public Compute {
 protected:
  std::vector<float> compute(const char* op, Shape a_shape, const std::vector<float>& a, Shape b_shape,
                             const std::vector<float>& b, Shape out_shape) {
    std::size_t count = 1;
    for (int64_t extent : out_shape) count *= static_cast<std::size_t>(extent);
    Plan plan;
    plan.input("a", DType::kFloat32, std::move(a_shape))
        .input("b", DType::kFloat32, std::move(b_shape))
        .output("c", DType::kFloat32, std::move(out_shape))
        .node(op, {"a", "b"}, "c");
    load(plan);
    const DeviceBuffer a_buffer(a);
    const DeviceBuffer b_buffer(b);
    const DeviceBuffer c_buffer(count * sizeof(float));
    bind("a", a_buffer);
    bind("b", b_buffer);
    bind("c", c_buffer);
    run();
    return c_buffer.read<float>();
  }
};

TEST_F(Binary, Elementwise) {
  EXPECT_THAT(compute("add", {3}, {1, 2, 3}, {3}, {4, 5, 6}, {3}), ElementsAre(5, 7, 9));
  EXPECT_THAT(compute("subtract", {2}, {1, 2}, {2}, {4, 1}, {2}), ElementsAre(-3, 1));
  EXPECT_THAT(compute("multiply", {2}, {3, 2}, {2}, {4, 1}, {2}), ElementsAre(12, 2));
  EXPECT_THAT(compute("maximum", {2}, {3, 2}, {2}, {4, 1}, {2}), ElementsAre(4, 2));
}

TEST_F(Binary, BroadcastsFromTheRight) {
  EXPECT_THAT(compute("add", {2, 2}, {1, 2, 3, 4}, {2}, {10, 20}, {2, 2}), ElementsAre(11, 22, 13, 24));
  EXPECT_THAT(compute("multiply", {2, 1}, {2, 3}, {1, 3}, {1, 10, 100}, {2, 3}), ElementsAre(2, 20, 200, 3, 30, 300));
}

TEST_F(Binary, Matmul) {
  EXPECT_THAT(compute("matmul", {2, 3}, {1, 2, 3, 4, 5, 6}, {3, 2}, {1, 0, 0, 1, 1, 1}, {2, 2}),
              ElementsAre(4, 5, 10, 11));
  // A batch against one matrix.
  EXPECT_THAT(compute("matmul", {2, 1, 2}, {1, 2, 3, 4}, {2, 1}, {10, 1}, {2, 1, 1}), ElementsAre(12, 34));
}

TEST_F(Compute, ReluNegateAbsSumAndReshape) {
  Plan plan;
  plan.input("x", DType::kFloat32, {2, 2})
      .output("relu", DType::kFloat32, {2, 2})
      .output("negative", DType::kFloat32, {2, 2})
      .output("absolute", DType::kFloat32, {2, 2})
      .output("total", DType::kFloat32, {})
      .output("rows", DType::kFloat32, {2})
      .output("flat", DType::kFloat32, {4})
      .node("relu", {"x"}, "relu")
      .node("negate", {"x"}, "negative")
      .node("abs", {"x"}, "absolute")
      .node("sum", {"x"}, "total")
      .node("sum", {"x"}, "rows", {1})
      .node("reshape", {"x"}, "flat", {-1});
  load(plan);
  EXPECT_EQ(context->getTensorShape("total").nbDims, 0);
  EXPECT_EQ(context->getTensorShape("flat").d[0], 4);
  const DeviceBuffer x(std::vector<float>{1, -2, 3, -5});
  bind("x", x);
  DeviceBuffer relu(16), negative(16), absolute(16), total(4), rows(8), flat(16);
  bind("relu", relu);
  bind("negative", negative);
  bind("absolute", absolute);
  bind("total", total);
  bind("rows", rows);
  bind("flat", flat);
  run();
  EXPECT_THAT(relu.read<float>(), ElementsAre(1, 0, 3, 0));
  EXPECT_THAT(negative.read<float>(), ElementsAre(-1, 2, -3, 5));
  EXPECT_THAT(absolute.read<float>(), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(total.read<float>(), ElementsAre(-3));
  EXPECT_THAT(rows.read<float>(), ElementsAre(-1, -2));
  EXPECT_THAT(flat.read<float>(), ElementsAre(1, -2, 3, -5));
}

class EveryDType : public Compute {
 protected:
  template <class T>
  void expect_increment(DType dtype, T before, T after) {
    Plan plan;
    plan.input("x", dtype, {3}).output("y", dtype, {3}).increments("x", "y", 1);
    load(plan);
    const DeviceBuffer x(std::vector<T>(3, before));
    const DeviceBuffer y(3 * sizeof(T));
    bind("x", x);
    bind("y", y);
    run();
    const auto values = y.read<T>();
    for (const T& value : values) EXPECT_EQ(std::memcmp(&value, &after, sizeof value), 0);
  }
};

TEST_F(EveryDType, Increments) {
  expect_increment<float>(DType::kFloat32, 1.5f, 2.5f);
  expect_increment<__half>(DType::kFloat16, __float2half(1.5f), __float2half(2.5f));
  expect_increment<__nv_bfloat16>(DType::kBFloat16, __float2bfloat16(1.5f), __float2bfloat16(2.5f));
  expect_increment<int8_t>(DType::kInt8, 127, -128);
  expect_increment<uint8_t>(DType::kUInt8, 255, 0);
  expect_increment<int32_t>(DType::kInt32, 2147483647, -2147483647 - 1);
  expect_increment<int64_t>(DType::kInt64, 1ll << 40, (1ll << 40) + 1);
  expect_increment<uint8_t>(DType::kBool, 0, 1);
}

TEST_F(Compute, ReluKeepsNotANumber) {
  Plan plan;
  plan.input("x", DType::kFloat32, {2}).output("y", DType::kFloat32, {2}).node("relu", {"x"}, "y");
  load(plan);
  const DeviceBuffer x(std::vector<float>{NAN, -0.0f});
  const DeviceBuffer y(8);
  bind("x", x);
  bind("y", y);
  run();
  EXPECT_TRUE(std::isnan(y.read<float>()[0]));
  EXPECT_EQ(y.read<float>()[1], 0.0f);
}

TEST_F(Compute, Casts) {
  Plan plan;
  plan.input("x", DType::kFloat32, {2})
      .output("whole", DType::kInt64, {2})
      .output("truth", DType::kBool, {2})
      .node("cast", {"x"}, "whole", {8})
      .node("cast", {"x"}, "truth", {4});
  load(plan);
  const DeviceBuffer x(std::vector<float>{-2.75f, 0.0f});
  DeviceBuffer whole(16), truth(2);
  bind("x", x);
  bind("whole", whole);
  bind("truth", truth);
  run();
  EXPECT_THAT(whole.read<int64_t>(), ElementsAre(-2, 0));
  EXPECT_THAT(truth.read<uint8_t>(), ElementsAre(1, 0));
}

Plan cache_plan() {
  Plan plan;
  plan.input("cache", DType::kFloat32, {1, 4, 2})
      .input("update", DType::kFloat32, {1, 1, 2})
      .input("position", DType::kInt64, {1})
      .alias("cache_out", "cache", DType::kFloat32, {1, 4, 2})
      .node("kv_update", {"cache", "update", "position"}, "cache_out", {1});
  return plan;
}

TEST_F(Compute, UpdatesACacheInPlace) {
  load(cache_plan());
  EXPECT_STREQ(engine->getAliasedInputTensor("cache_out"), "cache");
  EXPECT_EQ(engine->getAliasedInputTensor("cache"), nullptr);
  const DeviceBuffer cache(std::vector<float>(8, 0.0f));
  const DeviceBuffer update(std::vector<float>{7, 8});
  bind("cache", cache);
  bind("cache_out", cache);
  bind("update", update);
  for (int64_t position : {2, 0, 4}) {  // the last lies outside and is dropped
    const DeviceBuffer at(std::vector<int64_t>{position});
    bind("position", at);
    run();
  }
  EXPECT_THAT(cache.read<float>(), ElementsAre(7, 8, 0, 0, 7, 8, 0, 0));
}

TEST_F(Compute, RefusesAnAliasAtAnotherAddress) {
  load(cache_plan());
  DeviceBuffer cache(32), other(32), update(8), position(8);
  bind("cache", cache);
  bind("cache_out", other);
  bind("update", update);
  bind("position", position);
  EXPECT_FALSE(context->enqueueV3(nullptr));
  EXPECT_THAT(logger.errors, ElementsAre(testing::HasSubstr("aliased input cache")));
}

TEST_F(Compute, AChainUsesActivationMemory) {
  Plan plan;
  plan.input("x", DType::kFloat32, {100}).output("y", DType::kFloat32, {100});
  plan.increments("x", "y", 50);
  load(plan);
  EXPECT_EQ(engine->getDeviceMemorySizeV2(), 49 * 512);
  EXPECT_EQ(engine->getNbLayers(), 50);
  const DeviceBuffer x(std::vector<float>(100, 1.0f));
  const DeviceBuffer y(400);
  bind("x", x);
  bind("y", y);
  run();
  EXPECT_EQ(y.read<float>(), std::vector<float>(100, 51.0f));
}

// A dot product whose terms round: the CPU's answer is written down, so that a GPU must give its bits.
TEST_F(Binary, RoundsAlikeEverywhere) {
  std::vector<float> a, b;
  for (int i = 0; i < 100; ++i) {
    a.push_back(1.0f / static_cast<float>(i + 3));
    b.push_back(0.1f * static_cast<float>(i % 7) - 0.25f);
  }
  const float answer = compute("matmul", {1, 100}, a, {100, 1}, b, {1, 1})[0];
  EXPECT_EQ(answer, 0x1.75dfb6p-5f);
}

TEST_F(Compute, OneLaunchForEachNodeWhenAsked) {
  Plan plan;
  plan.input("x", DType::kFloat32, {4}).output("y", DType::kFloat32, {4});
  plan.increments("x", "y", 20);
  plan.launches_per_node = true;
  load(plan);
  const DeviceBuffer x(std::vector<float>(4, 0.0f));
  const DeviceBuffer y(16);
  bind("x", x);
  bind("y", y);
  if (standin_cuda_set("mode", "lazy") != 0) GTEST_SKIP() << "a GPU's stream cannot be looked into";
  ASSERT_TRUE(context->enqueueV3(cudaStreamPerThread));
  EXPECT_EQ(standin_cuda_pending(cudaStreamPerThread), 20u);
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(y.read<float>(), std::vector<float>(4, 20.0f));
  EXPECT_EQ(standin_tensorrt_finished(), 1u);
}

TEST_F(Compute, AShapeTensorGivesTheOutputsShape) {
  Plan plan;
  plan.input("extents", DType::kInt64, {2})
      .output("y", DType::kInt32, {-1, -1})
      .node("fill", {"extents"}, "y", {7, 3})
      .profile({}, {{"extents", {{1, 1}, {2, 2}, {4, 4}}}});
  plan.tensor("extents").is_shape_tensor = true;
  load(plan);
  EXPECT_TRUE(engine->isShapeInferenceIO("extents"));
  EXPECT_EQ(engine->getTensorLocation("extents"), nvinfer1::TensorLocation::kHOST);
  EXPECT_EQ(engine->getProfileTensorValuesV2("extents", 0, nvinfer1::OptProfileSelector::kMAX)[1], 4);
  const char* unset = nullptr;
  EXPECT_EQ(context->inferShapes(1, &unset), 1);
  EXPECT_STREQ(unset, "extents");
  int64_t extents[] = {3, 2};
  ASSERT_TRUE(context->setTensorAddress("extents", extents));
  EXPECT_EQ(context->inferShapes(0, nullptr), 0);
  EXPECT_EQ(context->getTensorShape("y").d[0], 3);
  const DeviceBuffer y(24);
  bind("y", y);
  run();
  EXPECT_EQ(y.read<int32_t>(), std::vector<int32_t>(6, 7));
  extents[0] = 5;  // leaves the profile
  EXPECT_EQ(context->inferShapes(0, nullptr), -1);
}

TEST_F(Compute, ADataDependentOutputStaysUnresolved) {
  Plan plan;
  plan.input("x", DType::kFloat32, {4}).output("indices", DType::kInt64, {1, -1}).node("nonzero", {"x"}, "indices");
  plan.tensor("indices").data_dependent = true;
  load(plan);
  const char* names[2] = {};
  EXPECT_EQ(context->inferShapes(2, names), 1);
  EXPECT_STREQ(names[0], "indices");
  EXPECT_EQ(context->getTensorShape("indices").d[1], -1);
  DeviceBuffer x(16), indices(64);
  bind("x", x);
  bind("indices", indices);
  EXPECT_FALSE(context->enqueueV3(nullptr));
}

TEST_F(Compute, ReadsAHostLocatedTensor) {
  Plan plan;
  plan.input("x", DType::kFloat32, {2}).output("y", DType::kFloat32, {2});
  plan.increments("x", "y", 1);
  plan.tensor("x").on_host = true;
  load(plan);
  EXPECT_EQ(engine->getTensorLocation("x"), nvinfer1::TensorLocation::kHOST);
  float* x = nullptr;  // pinned, so that a GPU can read it too
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&x), 8), cudaSuccess);
  x[0] = 1;
  x[1] = 2;
  const DeviceBuffer y(8);
  ASSERT_TRUE(context->setTensorAddress("x", x));
  bind("y", y);
  run();
  EXPECT_THAT(y.read<float>(), ElementsAre(2, 3));
  cudaFreeHost(x);
}

}  // namespace
}  // namespace standins
