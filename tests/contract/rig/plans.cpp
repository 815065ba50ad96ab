#include "plans.h"

#include <utility>

namespace contract {
namespace plans {
namespace {

constexpr DataType kFloat = DataType::kFloat32;

std::string bytes_of(const standins::Plan& plan) { return standins::write_plan(plan); }

standins::Plan cache_plan(bool aliased) {
  standins::Plan plan;
  plan.input("step", kFloat, {4}).input("cache", kFloat, {4});
  if (aliased) {
    plan.alias("cache_out", "cache", kFloat, {4});
  } else {
    plan.output("cache_out", kFloat, {4});
  }
  return plan.node("add", {"cache", "step"}, "cache_out");
}

}  // namespace

standins::Plan add_one_plan(Shape shape, const Ranges& profiles) {
  standins::Plan plan;
  plan.input("x", kFloat, shape).output("y", kFloat, shape).increments("x", "y", 1);
  for (const ShapeRange& range : profiles) {
    plan.profile({{"x", range}});
  }
  return plan;
}

std::string copy(DataType dtype, Shape shape) {
  standins::Plan plan;
  return bytes_of(plan.input("x", dtype, shape).output("y", dtype, shape).node("identity", {"x"}, "y"));
}

std::string add_one(Shape shape, Ranges profiles) { return bytes_of(add_one_plan(std::move(shape), profiles)); }

std::string add_rows(Ranges profiles) {
  standins::Plan plan;
  plan.input("a", kFloat, {-1, 2}).input("b", kFloat, {-1, 2}).output("y", kFloat, {-1, 2});
  plan.node("add", {"a", "b"}, "y");
  for (const ShapeRange& range : profiles) {
    plan.profile({{"a", range}, {"b", range}});
  }
  return bytes_of(plan);
}

std::string difference() {
  standins::Plan plan;
  plan.input("a", kFloat, {4}).input("b", kFloat, {4}).output("y", kFloat, {4});
  return bytes_of(plan.node("subtract", {"a", "b"}, "y"));
}

std::string sum_of(int count) {
  standins::Plan plan;
  for (int i = 0; i < count; ++i) {
    plan.input("x" + std::to_string(i), kFloat, {4});
  }
  plan.output("y", kFloat, {4});
  std::string total = "x0";
  for (int i = 1; i < count; ++i) {
    const std::string next = i + 1 == count ? "y" : "sum" + std::to_string(i);
    plan.node("add", {total, "x" + std::to_string(i)}, next);
    total = next;
  }
  if (count == 1) {
    plan.node("identity", {"x0"}, "y");
  }
  return bytes_of(plan);
}

std::string rows_summed(Shape shape) {
  standins::Plan plan;
  const auto axis = static_cast<int64_t>(shape.size()) - 1;
  Shape summed(shape.begin(), shape.end() - 1);
  plan.input("x", kFloat, shape).output("y", kFloat, summed).node("sum", {"x"}, "y", {axis});
  return bytes_of(plan);
}

std::string cast(DataType from, DataType to, Shape shape) {
  standins::Plan plan;
  plan.input("x", from, shape).output("y", to, shape);
  return bytes_of(plan.node("cast", {"x"}, "y", {static_cast<int64_t>(to)}));
}

std::string data_dependent() {
  standins::Plan plan;
  plan.input("x", kFloat, {4}).output("y", DataType::kInt64, {1, -1}).node("nonzero", {"x"}, "y");
  plan.tensor("y").data_dependent = true;
  return bytes_of(plan);
}

std::string cache() { return bytes_of(cache_plan(true)); }

std::string cache_without_alias() { return bytes_of(cache_plan(false)); }

BlobText cache_text() {
  return {{{"step", true}, {"cache", true}, {"cache_out", false}}, {{"cache_out", "cache", ""}}, 0};
}

std::string streaming(uint64_t streamable_bytes) {
  standins::Plan plan = add_one_plan();
  plan.streamable_weights_bytes = streamable_bytes;
  return bytes_of(plan);
}

std::string with_activations(uint64_t bytes) {
  standins::Plan plan = add_one_plan();
  plan.activation_bytes = bytes;
  return bytes_of(plan);
}

std::string built_by(uint8_t major, uint8_t minor, uint8_t patch, uint8_t build) {
  standins::Plan plan = add_one_plan();
  plan.version = {major, minor, patch, build};
  return bytes_of(plan);
}

std::string refused_with(const std::string& tensorrt_text) {
  standins::Plan plan = add_one_plan();
  plan.load_refusal = tensorrt_text;
  return bytes_of(plan);
}

std::string uncapturable() {
  standins::Plan plan = add_one_plan();
  plan.refuses_capture = true;
  return bytes_of(plan);
}

std::string of_size(uint64_t padding_bytes) {
  standins::Plan plan = add_one_plan();
  plan.padding_bytes = padding_bytes;
  return bytes_of(plan);
}

std::string host_located_input() {
  standins::Plan plan = add_one_plan();
  plan.tensor("x").on_host = true;
  return bytes_of(plan);
}

std::string shape_tensor_input() {
  standins::Plan plan;
  plan.input("x", DataType::kInt64, {2}).output("y", kFloat, {-1, -1});
  plan.node("fill", {"x"}, "y", {1, static_cast<int64_t>(kFloat)});
  plan.tensor("x").is_shape_tensor = true;
  plan.profile({{"x", {{2}, {2}, {2}}}}, {{"x", {{1, 1}, {2, 2}, {4, 4}}}});
  return bytes_of(plan);
}

std::string vectorised_input() {
  standins::Plan plan = add_one_plan({1, 8, 2, 2});
  plan.tensor("x").format = 1;
  plan.tensor("x").components = 8;
  plan.tensor("x").vectorized_dim = 1;
  return bytes_of(plan);
}

}  // namespace plans

BlobText one_in_one_out_text() { return {{{"x", true}, {"y", false}}, {}, 0}; }

std::string one_in_one_out(const std::string& engine) { return make_blob(one_in_one_out_text(), engine); }

std::string two_in_one_out(const std::string& engine) {
  return make_blob({{{"a", true}, {"b", true}, {"y", false}}, {}, 0}, engine);
}

std::string many_in_one_out(int count, const std::string& engine) {
  BlobText text;
  for (int i = 0; i < count; ++i) {
    text.bindings.push_back({"x" + std::to_string(i), true});
  }
  text.bindings.push_back({"y", false});
  return make_blob(text, engine);
}

}  // namespace contract
