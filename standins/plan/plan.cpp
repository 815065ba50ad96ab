#include "standins/plan.h"

#include <cstring>

#include "description.h"

namespace standins {
namespace {

constexpr std::size_t kHeaderBytes = 32;

template <class Number>
void put(std::string& bytes, std::size_t offset, Number value) {
  std::memcpy(&bytes[offset], &value, sizeof value);
}
template <class Number>
Number get(const char* bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

uint64_t align_up(uint64_t value) {
  return (value + kPlanAlignment - 1) / kPlanAlignment * kPlanAlignment;
}

// Gives each piece of payload its place; the pieces in the order in which they are written.
std::vector<const std::string*> place_payload(Plan& plan) {
  std::vector<const std::string*> pieces;
  uint64_t end = 0;
  const auto place = [&](const std::string& data, uint64_t& offset, uint64_t& bytes) {
    offset = align_up(end);
    bytes = data.size();
    end = offset + bytes;
    pieces.push_back(&data);
  };
  for (auto& constant : plan.constants) place(constant.data, constant.offset, constant.bytes);
  if (auto& model = plan.openvino; model.is_present) {
    place(model.xml, model.xml_offset, model.xml_bytes);
    place(model.weights, model.weights_offset, model.weights_bytes);
  }
  return pieces;
}

// From the start of the plan instead of the payload, and inside the plan.
void rebase(uint64_t& offset, uint64_t bytes, uint64_t payload_offset, uint64_t size) {
  if (offset > size - payload_offset || bytes > size - payload_offset - offset) {
    throw PlanError("plan: a piece of " + std::to_string(bytes) + " bytes reaches past the end");
  }
  offset += payload_offset;
}

}  // namespace

uint64_t dtype_bytes(DType dtype, uint64_t count) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32:
      return 4 * count;
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2 * count;
    case DType::kInt64:
      return 8 * count;
    case DType::kInt4:
    case DType::kFp4:
      return (count + 1) / 2;
    default:
      return count;
  }
}

uint32_t serialization_tag(const std::array<uint8_t, 4>& version) {
  return 10u * version[0] + version[1] + 130u;
}

Plan& Plan::input(std::string tensor_name, DType dtype, Shape shape) {
  PlanTensor& added = tensors.emplace_back();
  added.name = std::move(tensor_name);
  added.dtype = dtype;
  added.shape = std::move(shape);
  return *this;
}

Plan& Plan::output(std::string tensor_name, DType dtype, Shape shape) {
  input(std::move(tensor_name), dtype, std::move(shape));
  tensors.back().is_input = false;
  return *this;
}

Plan& Plan::alias(std::string tensor_name, std::string aliased_input, DType dtype, Shape shape) {
  output(std::move(tensor_name), dtype, std::move(shape));
  tensors.back().aliased_input = std::move(aliased_input);
  return *this;
}

Plan& Plan::constant(std::string constant_name, DType dtype, Shape shape, std::string data) {
  PlanConstant& added = constants.emplace_back();
  added.name = std::move(constant_name);
  added.dtype = dtype;
  added.shape = std::move(shape);
  added.data = std::move(data);
  return *this;
}

Plan& Plan::constant(std::string constant_name, Shape shape, const std::vector<float>& values) {
  std::string data(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return constant(std::move(constant_name), DType::kFloat32, std::move(shape), std::move(data));
}

Plan& Plan::node(std::string op, std::vector<std::string> inputs, std::string output_name,
                 std::vector<int64_t> attributes) {
  nodes.push_back(
      {std::move(op), std::move(inputs), std::move(output_name), std::move(attributes)});
  return *this;
}

Plan& Plan::increments(const std::string& from, const std::string& to, int count) {
  std::string last = from;
  for (int i = 1; i <= count; ++i) {
    std::string next = i == count ? to : to + "." + std::to_string(i);
    node("increment", {last}, next, {1});
    last = std::move(next);
  }
  return *this;
}

Plan& Plan::profile(std::map<std::string, ShapeRange> shapes,
                    std::map<std::string, ShapeRange> values) {
  profiles.push_back({std::move(shapes), std::move(values)});
  return *this;
}

Plan& Plan::model(std::string xml, std::string weights) {
  openvino.xml = std::move(xml);
  openvino.weights = std::move(weights);
  openvino.is_present = true;
  return *this;
}

PlanTensor& Plan::tensor(std::string_view wanted) {
  for (auto& candidate : tensors) {
    if (candidate.name == wanted) return candidate;
  }
  throw PlanError("plan: no tensor is named '" + std::string(wanted) + "'");
}

std::string write_plan(const Plan& plan) {
  Plan placed = plan;
  const auto pieces = place_payload(placed);
  complete_and_check(placed);
  const std::string description = describe(placed).dump();

  std::string bytes(kHeaderBytes, '\0');
  put(bytes, 0, kPlanTag);
  put(bytes, 8, serialization_tag(plan.version));
  std::memcpy(&bytes[24], plan.version.data(), plan.version.size());
  put(bytes, 28, static_cast<uint32_t>(description.size()));
  bytes += description;
  for (const std::string* piece : pieces) {
    bytes.resize(align_up(bytes.size()));
    bytes += *piece;
  }
  bytes.resize(align_up(bytes.size()) + plan.padding_bytes);
  put(bytes, 16, static_cast<uint64_t>(bytes.size()));
  return bytes;
}

Plan read_plan(const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  if (size < kHeaderBytes || get<uint32_t>(bytes, 0) != kPlanTag) {
    throw PlanError("plan: no plan header in " + std::to_string(size) + " bytes");
  }
  const uint64_t whole = get<uint64_t>(bytes, 16);
  const uint64_t description_bytes = get<uint32_t>(bytes, 28);
  const uint64_t payload_offset = align_up(kHeaderBytes + description_bytes);
  if (whole > size || payload_offset > whole) {
    throw PlanError("plan: truncated, " + std::to_string(size) + " of " + std::to_string(whole) +
                    " bytes");
  }
  Plan plan;
  try {
    const char* text = bytes + kHeaderBytes;
    plan = parse_description(nlohmann::json::parse(text, text + description_bytes));
  } catch (const nlohmann::json::exception& error) {
    throw PlanError(std::string("plan: description: ") + error.what());
  }
  std::memcpy(plan.version.data(), bytes + 24, plan.version.size());
  for (auto& constant : plan.constants)
    rebase(constant.offset, constant.bytes, payload_offset, whole);
  auto& model = plan.openvino;
  rebase(model.xml_offset, model.xml_bytes, payload_offset, whole);
  rebase(model.weights_offset, model.weights_bytes, payload_offset, whole);
  complete_and_check(plan);
  return plan;
}

}  // namespace standins
