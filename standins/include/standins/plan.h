// Plans of the TensorRT stand-in: what one describes, how it is built, how it is read.
//
// Layout, little endian. 0: u32 "ftrt"; 8: u32 serialization tag; 16: u64 size of the whole plan;
// 24..27: TensorRT version major.minor.patch.build (as in a real plan); 28: u32 length of the
// description; 32: description, JSON with sorted keys and no spaces; then, from the next multiple
// of 64 on, the payload: constants and models, each at a multiple of 64.
// standins/python/standin_plan writes the same bytes.
#ifndef STANDINS_PLAN_H_
#define STANDINS_PLAN_H_

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace standins {

inline constexpr uint32_t kPlanTag = 0x74727466;
inline constexpr std::size_t kPlanAlignment = 64;

// The numbers are those of TensorRT's DataType.
enum class DType : int32_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kBool = 4,
  kUInt8 = 5,
  kFp8 = 6,
  kBFloat16 = 7,
  kInt64 = 8,
  kInt4 = 9,
  kFp4 = 10,
  kE8M0 = 11,
};
std::string_view dtype_name(DType dtype);
// Bytes of `count` elements; two elements of a 4-bit type share a byte.
uint64_t dtype_bytes(DType dtype, uint64_t count);

using Shape = std::vector<int64_t>;  // -1: dynamic
struct ShapeRange {
  Shape min, opt, max;
};
// Shapes of inputs by name; `values` are those of shape tensors.
struct PlanProfile {
  std::map<std::string, ShapeRange> shapes;
  std::map<std::string, ShapeRange> values;
};

struct PlanTensor {
  std::string name;
  bool is_input = true;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::string aliased_input;    // outputs: shares that input's memory
  bool data_dependent = false;  // outputs: shape known only after the run
  bool on_host = false;         // TensorLocation::kHOST
  bool is_shape_tensor = false;
  int32_t format = 0;  // TensorFormat; other than 0 is vectorised
  int32_t components = 1;
  int32_t vectorized_dim = -1;
};

// Operations: identity, relu, negate, abs; increment(by); cast(dtype); add, subtract, multiply,
// maximum (NumPy broadcasting); matmul; sum(axis...), of all axes without attributes;
// reshape(dims..., one may be -1); kv_update(axis) of (cache, update, position);
// fill(value, dtype) of a shape tensor; nonzero (shape inference only).
struct PlanNode {
  std::string op;
  std::vector<std::string> inputs;
  std::string output;
  std::vector<int64_t> attributes;
};

struct PlanConstant {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::string data;     // when building
  uint64_t offset = 0;  // when read: from the start of the plan
  uint64_t bytes = 0;
};

// An OpenVINO IR; its inputs and outputs are the plan's, in order.
struct PlanModel {
  std::string xml, weights;                // when building
  uint64_t xml_offset = 0, xml_bytes = 0;  // when read
  uint64_t weights_offset = 0, weights_bytes = 0;
  bool is_present = false;
};

enum class EnqueueBehaviour { kOk, kRefused, kFaults };

struct Plan {
  std::array<uint8_t, 4> version{11, 4, 0, 106};
  std::string name = "standin";
  std::vector<PlanTensor> tensors;
  std::vector<PlanProfile> profiles;  // none: one is derived when every input is static
  std::vector<PlanNode> nodes;
  std::vector<PlanConstant> constants;
  PlanModel openvino;

  uint64_t weights_bytes = 0;             // device memory besides the constants
  uint64_t streamable_weights_bytes = 0;  // above 0: the engine streams weights
  uint64_t activation_bytes = 0;          // scratch besides intermediate values
  uint64_t padding_bytes = 0;             // zeros at the end, for plans of a wanted size
  bool refuses_capture = false;           // every enqueue synchronises with its stream
  bool launches_per_node = false;         // one stream operation for each node
  EnqueueBehaviour enqueue = EnqueueBehaviour::kOk;
  std::string load_refusal;  // not empty: logged, and deserialising gives null

  Plan& input(std::string name, DType dtype, Shape shape);
  Plan& output(std::string name, DType dtype, Shape shape);
  // An output that shares the memory of an input.
  Plan& alias(std::string name, std::string aliased_input, DType dtype, Shape shape);
  Plan& constant(std::string name, DType dtype, Shape shape, std::string data);
  Plan& constant(std::string name, Shape shape, const std::vector<float>& values);
  Plan& node(std::string op, std::vector<std::string> inputs, std::string output, std::vector<int64_t> attributes = {});
  // `count` nodes x -> x + 1 one after another, from `input` to `output`.
  Plan& increments(const std::string& input, const std::string& output, int count);
  Plan& profile(std::map<std::string, ShapeRange> shapes, std::map<std::string, ShapeRange> values = {});
  Plan& model(std::string xml, std::string weights);
  PlanTensor& tensor(std::string_view name);  // throws PlanError when there is none
};

// A plan that is not sound; the text says what and where.
class PlanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a library of that version writes at byte 8 and accepts there.
uint32_t serialization_tag(const std::array<uint8_t, 4>& version);
// Throws PlanError.
std::string write_plan(const Plan& plan);
// Borrows nothing: constants and models are offsets into `bytes`. Throws PlanError.
Plan read_plan(const void* bytes, std::size_t size);

}  // namespace standins

#endif  // STANDINS_PLAN_H_
