// Plans that hold OpenVINO models.
#include <openvino/op/add.hpp>
#include <openvino/op/concat.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/logical_not.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/op/non_zero.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/reduce_sum.hpp>
#include <openvino/op/scatter_update.hpp>
#include <openvino/openvino.hpp>
#include <openvino/pass/serialize.hpp>
#include <random>
#include <sstream>

#include "rig.h"

namespace standins {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace element = ov::element;

void put_model(Plan& plan, const ov::OutputVector& outputs, const ov::ParameterVector& inputs) {
  std::ostringstream xml, weights;
  ov::pass::Serialize(xml, weights).run_on_model(std::make_shared<ov::Model>(outputs, inputs));
  plan.model(xml.str(), weights.str());
}

std::shared_ptr<ov::op::v0::Parameter> parameter(element::Type type, ov::PartialShape shape) {
  return std::make_shared<ov::op::v0::Parameter>(type, shape);
}

class OpenVino : public StandinTest {
 protected:
  // x + x of one dtype.
  template <class T>
  void expect_doubled(DType dtype, element::Type type, T value, T doubled) {
    const auto x = parameter(type, {2});
    Plan plan;
    plan.input("x", dtype, {2}).output("y", dtype, {2});
    put_model(plan, {std::make_shared<ov::op::v1::Add>(x, x)}, {x});
    load(plan);
    const DeviceBuffer in(std::vector<T>{value, value});
    const DeviceBuffer out(2 * sizeof(T));
    bind("x", in);
    bind("y", out);
    run();
    EXPECT_THAT(out.read<T>(), ElementsAre(doubled, doubled)) << dtype_name(dtype);
  }
};

TEST_F(OpenVino, RunsWithADynamicBatchAndSeveralOutputs) {
  const auto x = parameter(element::f32, {-1, 3});
  const auto weights = ov::op::v0::Constant::create(element::f32, {3, 1}, {1.0f, 10.0f, 100.0f});
  const auto axes = ov::op::v0::Constant::create(element::i64, {2}, {0, 1});
  Plan plan;
  plan.input("x", DType::kFloat32, {-1, 3})
      .output("y", DType::kFloat32, {-1, 1})
      .output("total", DType::kFloat32, {})
      .profile({{"x", {{1, 3}, {2, 3}, {4, 3}}}})
      .profile({{"x", {{5, 3}, {5, 3}, {8, 3}}}});
  put_model(plan, {std::make_shared<ov::op::v0::MatMul>(x, weights), std::make_shared<ov::op::v1::ReduceSum>(x, axes)},
            {x});
  load(plan);
  for (int64_t rows : {2, 4, 6}) {
    const auto count = static_cast<std::size_t>(rows);
    if (rows == 6) {
      ASSERT_TRUE(context->setOptimizationProfileAsync(1, cudaStreamPerThread));
    }
    ASSERT_TRUE(context->setInputShape("x", dims({rows, 3})));
    EXPECT_EQ(context->inferShapes(0, nullptr), 0);
    EXPECT_EQ(context->getTensorShape("y").d[0], rows);
    EXPECT_EQ(context->getTensorShape("total").nbDims, 0);
    const DeviceBuffer in(std::vector<float>(count * 3, 2.0f));
    const DeviceBuffer out(count * sizeof(float)), total(sizeof(float));
    bind("x", in);
    bind("y", out);
    bind("total", total);
    run();
    EXPECT_EQ(out.read<float>(), std::vector<float>(count, 222.0f));
    EXPECT_THAT(total.read<float>(), ElementsAre(6.0f * static_cast<float>(rows)));
  }
}

TEST_F(OpenVino, KnowsTheDTypes) {
  expect_doubled<float>(DType::kFloat32, element::f32, 1.5f, 3.0f);
  expect_doubled<uint16_t>(DType::kFloat16, element::f16, 0x3e00, 0x4200);  // 1.5, 3
  expect_doubled<int32_t>(DType::kInt32, element::i32, 21, 42);
  expect_doubled<int64_t>(DType::kInt64, element::i64, -21, -42);
}

TEST_F(OpenVino, RunsBooleans) {
  const auto x = parameter(element::boolean, {2});
  Plan plan;
  plan.input("x", DType::kBool, {2}).output("y", DType::kBool, {2});
  put_model(plan, {std::make_shared<ov::op::v1::LogicalNot>(x)}, {x});
  load(plan);
  const DeviceBuffer in(std::vector<uint8_t>{0, 1});
  const DeviceBuffer out(2);
  bind("x", in);
  bind("y", out);
  run();
  EXPECT_THAT(out.read<uint8_t>(), ElementsAre(1, 0));
}

TEST_F(OpenVino, UpdatesACacheInPlace) {
  const auto cache = parameter(element::f32, {4, 2});
  const auto update = parameter(element::f32, {1, 2});
  const auto position = parameter(element::i64, {1});
  const auto axis = ov::op::v0::Constant::create(element::i64, {}, {0});
  const auto updated = std::make_shared<ov::op::v3::ScatterUpdate>(cache, position, update, axis);
  const auto axes = ov::op::v0::Constant::create(element::i64, {1}, {0});
  Plan plan;
  plan.input("cache", DType::kFloat32, {4, 2})
      .input("update", DType::kFloat32, {1, 2})
      .input("position", DType::kInt64, {1})
      .alias("cache_out", "cache", DType::kFloat32, {4, 2})
      .output("sums", DType::kFloat32, {2});
  put_model(plan, {updated, std::make_shared<ov::op::v1::ReduceSum>(updated, axes)}, {cache, update, position});
  load(plan);
  const DeviceBuffer memory(std::vector<float>(8, 0.0f));
  const DeviceBuffer row(std::vector<float>{3, 4});
  const DeviceBuffer sums(8);
  bind("cache", memory);
  bind("cache_out", memory);
  bind("update", row);
  bind("sums", sums);
  for (int64_t at : {1, 3}) {
    const DeviceBuffer place(std::vector<int64_t>{at});
    bind("position", place);
    run();
  }
  EXPECT_THAT(memory.read<float>(), ElementsAre(0, 0, 3, 4, 0, 0, 3, 4));
  EXPECT_THAT(sums.read<float>(), ElementsAre(6, 8));
}

TEST_F(OpenVino, ADataDependentOutputStaysUnresolved) {
  const auto x = parameter(element::f32, {4});
  Plan plan;
  plan.input("x", DType::kFloat32, {4}).output("where", DType::kInt64, {1, -1});
  plan.tensor("where").data_dependent = true;
  put_model(plan, {std::make_shared<ov::op::v3::NonZero>(x)}, {x});
  load(plan);
  const char* name = nullptr;
  EXPECT_EQ(context->inferShapes(1, &name), 1);
  EXPECT_STREQ(name, "where");
}

TEST_F(OpenVino, GivesTheSameBitsEveryTime) {
  constexpr std::size_t kSize = 64;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(kSize * kSize);
  for (float& value : values) value = normal(random);
  const auto x = parameter(element::f32, {kSize, kSize});
  const auto weights = ov::op::v0::Constant::create(element::f32, {kSize, kSize}, values);
  Plan plan;
  plan.input("x", DType::kFloat32, {kSize, kSize}).output("y", DType::kFloat32, {kSize, kSize});
  put_model(plan, {std::make_shared<ov::op::v0::MatMul>(x, weights)}, {x});
  const DeviceBuffer in(values), out(values.size() * sizeof(float));
  std::vector<std::vector<float>> answers;
  for (int i = 0; i < 3; ++i) {
    load(plan);
    bind("x", in);
    bind("y", out);
    run();
    answers.push_back(out.read<float>());
  }
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0], answers[2]);
}

TEST_F(OpenVino, RefusesAModelThatDoesNotFitThePlan) {
  const auto x = parameter(element::f32, {2});
  const auto refused = [&](Plan plan) {
    put_model(plan, {std::make_shared<ov::op::v1::Add>(x, x)}, {x});
    const std::string bytes = write_plan(plan);
    return runtime->deserializeCudaEngine(bytes.data(), bytes.size()) == nullptr;
  };
  EXPECT_TRUE(refused(Plan().input("x", DType::kInt32, {2}).output("y", DType::kFloat32, {2})));
  EXPECT_TRUE(refused(Plan().input("x", DType::kFloat32, {2, 2}).output("y", DType::kFloat32, {2})));
  EXPECT_TRUE(refused(Plan().input("x", DType::kFloat32, {2})));
  Plan broken;
  broken.input("x", DType::kFloat32, {2}).output("y", DType::kFloat32, {2}).model("<net", "");
  const std::string bytes = write_plan(broken);
  EXPECT_EQ(runtime->deserializeCudaEngine(bytes.data(), bytes.size()), nullptr);
  EXPECT_THAT(
      logger.errors,
      ElementsAre(HasSubstr("x: the model has f32, the plan i32"), HasSubstr("x: the model has rank 1, the plan 2"),
                  HasSubstr("1 inputs and 1 outputs, the plan 1 and 0"), HasSubstr("OpenVINO model")));
}

}  // namespace
}  // namespace standins
