#include "description.h"

namespace standins {
namespace {

using nlohmann::json;

constexpr std::string_view kDTypeNames[] = {"float32", "float16", "int8", "int32",
                                            "bool",    "uint8",   "fp8",  "bfloat16",
                                            "int64",   "int4",    "fp4",  "e8m0"};
constexpr std::string_view kEnqueueNames[] = {"ok", "refused", "faults"};

template <std::size_t N>
int index_of(const std::string_view (&names)[N], const std::string& name, const char* what) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  throw PlanError(std::string(what) + " '" + name + "' is unknown");
}

json describe(const std::map<std::string, ShapeRange>& ranges) {
  json out = json::object();
  for (const auto& [name, range] : ranges) {
    out[name] = {{"min", range.min}, {"opt", range.opt}, {"max", range.max}};
  }
  return out;
}

std::map<std::string, ShapeRange> parse_ranges(const json& in) {
  std::map<std::string, ShapeRange> ranges;
  for (const auto& [name, range] : in.items()) {
    ranges[name] = {range.at("min").get<Shape>(), range.at("opt").get<Shape>(),
                    range.at("max").get<Shape>()};
  }
  return ranges;
}

json describe(const PlanTensor& tensor) {
  return {{"name", tensor.name},
          {"mode", tensor.is_input ? "input" : "output"},
          {"dtype", dtype_name(tensor.dtype)},
          {"shape", tensor.shape},
          {"alias", tensor.aliased_input},
          {"data_dependent", tensor.data_dependent},
          {"on_host", tensor.on_host},
          {"shape_tensor", tensor.is_shape_tensor},
          {"format", tensor.format},
          {"components", tensor.components},
          {"vectorized_dim", tensor.vectorized_dim}};
}

DType parse_dtype(const json& in) {
  return static_cast<DType>(index_of(kDTypeNames, in.get<std::string>(), "dtype"));
}

PlanTensor parse_tensor(const json& in) {
  PlanTensor tensor;
  tensor.name = in.at("name");
  tensor.is_input = in.at("mode") == "input";
  tensor.dtype = parse_dtype(in.at("dtype"));
  tensor.shape = in.at("shape").get<Shape>();
  tensor.aliased_input = in.at("alias");
  tensor.data_dependent = in.at("data_dependent");
  tensor.on_host = in.at("on_host");
  tensor.is_shape_tensor = in.at("shape_tensor");
  tensor.format = in.at("format");
  tensor.components = in.at("components");
  tensor.vectorized_dim = in.at("vectorized_dim");
  return tensor;
}

}  // namespace

std::string_view dtype_name(DType dtype) { return kDTypeNames[static_cast<std::size_t>(dtype)]; }

json describe(const Plan& plan) {
  json out = {{"name", plan.name},
              {"weights_bytes", plan.weights_bytes},
              {"streamable_weights_bytes", plan.streamable_weights_bytes},
              {"activation_bytes", plan.activation_bytes},
              {"padding_bytes", plan.padding_bytes},
              {"refuses_capture", plan.refuses_capture},
              {"launches_per_node", plan.launches_per_node},
              {"enqueue", kEnqueueNames[static_cast<std::size_t>(plan.enqueue)]},
              {"load_refusal", plan.load_refusal},
              {"tensors", json::array()},
              {"profiles", json::array()},
              {"nodes", json::array()},
              {"constants", json::array()},
              {"openvino", nullptr}};
  for (const auto& tensor : plan.tensors) out["tensors"].push_back(describe(tensor));
  for (const auto& profile : plan.profiles) {
    out["profiles"].push_back(
        {{"shapes", describe(profile.shapes)}, {"values", describe(profile.values)}});
  }
  for (const auto& node : plan.nodes) {
    out["nodes"].push_back({{"op", node.op},
                            {"inputs", node.inputs},
                            {"output", node.output},
                            {"attributes", node.attributes}});
  }
  for (const auto& constant : plan.constants) {
    out["constants"].push_back({{"name", constant.name},
                                {"dtype", dtype_name(constant.dtype)},
                                {"shape", constant.shape},
                                {"offset", constant.offset},
                                {"bytes", constant.bytes}});
  }
  if (plan.openvino.is_present) {
    const auto& model = plan.openvino;
    out["openvino"] = {{"xml_offset", model.xml_offset},
                       {"xml_bytes", model.xml_bytes},
                       {"weights_offset", model.weights_offset},
                       {"weights_bytes", model.weights_bytes}};
  }
  return out;
}

Plan parse_description(const json& in) {
  Plan plan;
  plan.name = in.at("name");
  plan.weights_bytes = in.at("weights_bytes");
  plan.streamable_weights_bytes = in.at("streamable_weights_bytes");
  plan.activation_bytes = in.at("activation_bytes");
  plan.padding_bytes = in.at("padding_bytes");
  plan.refuses_capture = in.at("refuses_capture");
  plan.launches_per_node = in.at("launches_per_node");
  plan.enqueue = static_cast<EnqueueBehaviour>(
      index_of(kEnqueueNames, in.at("enqueue").get<std::string>(), "enqueue behaviour"));
  plan.load_refusal = in.at("load_refusal");
  for (const auto& tensor : in.at("tensors")) plan.tensors.push_back(parse_tensor(tensor));
  for (const auto& profile : in.at("profiles")) {
    plan.profiles.push_back(
        {parse_ranges(profile.at("shapes")), parse_ranges(profile.at("values"))});
  }
  for (const auto& node : in.at("nodes")) {
    plan.nodes.push_back(
        {node.at("op").get<std::string>(), node.at("inputs").get<std::vector<std::string>>(),
         node.at("output").get<std::string>(), node.at("attributes").get<std::vector<int64_t>>()});
  }
  for (const auto& item : in.at("constants")) {
    PlanConstant constant;
    constant.name = item.at("name");
    constant.dtype = parse_dtype(item.at("dtype"));
    constant.shape = item.at("shape").get<Shape>();
    constant.offset = item.at("offset");
    constant.bytes = item.at("bytes");
    plan.constants.push_back(std::move(constant));
  }
  if (const auto& model = in.at("openvino"); !model.is_null()) {
    plan.openvino.is_present = true;
    plan.openvino.xml_offset = model.at("xml_offset");
    plan.openvino.xml_bytes = model.at("xml_bytes");
    plan.openvino.weights_offset = model.at("weights_offset");
    plan.openvino.weights_bytes = model.at("weights_bytes");
  }
  return plan;
}

}  // namespace standins
