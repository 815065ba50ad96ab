// What a .pte file holds, read without running or trusting any of it.
//
// ExecuTorch's MethodMeta shows neither delegate blobs nor compile specs nor which arguments a delegate is called
// with, so the flatbuffer is read through the schema that the installed ExecuTorch ships. Every structure is bounded:
// the flatbuffer verifier limits depth and table count, and whatever is copied out is proportional to the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trtet {

struct Finding {
  std::string where;  // "forward: delegate 0"
  std::string what;
};

// What a hostile file can make of a list, a name or a shape is cut here.
inline constexpr std::size_t kListLimit = 100000;

enum class PteDevice : std::uint8_t { kCpu, kCuda, kUnknown };

struct PtePlacement {
  PteDevice type = PteDevice::kCpu;
  int index = 0;
};

struct PteTensor {
  int scalar_type = 0;  // ExecuTorch's ScalarType
  std::vector<std::int32_t> sizes;
  const char* dynamism = "static";  // static, bounded, unbounded
  bool is_constant = false;
  bool is_planned = false;  // the program plans its memory
  PtePlacement placement;
};

struct PteValue {
  const char* kind = "none";  // none, int, bool, double, string, tensor, list
  std::string name;           // fully qualified; empty for most
  std::optional<PteTensor> tensor;
};

struct PteCompileSpec {
  std::string key;
  std::string value;  // raw bytes
};

struct PteDelegateCall {
  std::vector<std::int32_t> arguments;  // indices into PteMethod::values
};

struct PteDelegate {
  std::string backend;
  std::optional<std::string_view> blob;  // borrowed from the file's bytes; none when its place is wrong
  std::vector<PteCompileSpec> compile_specs;
  std::vector<PteDelegateCall> calls;
};

// A value that is copied to or from the GPU by ExecuTorch's own operators.
struct PteCopy {
  std::int32_t from = 0;  // indices into PteMethod::values
  std::int32_t to = 0;
};

struct PteBuffer {
  std::int64_t size_bytes = 0;
  PtePlacement placement;
};

struct PteMethod {
  std::string name;
  std::vector<PteValue> values;
  std::vector<std::int32_t> inputs;   // indices into values; always inside
  std::vector<std::int32_t> outputs;  // likewise
  std::vector<PteBuffer> buffers;     // planned memory, without the unused buffer 0
  std::vector<PteDelegate> delegates;
  std::vector<PteCopy> copies;
  std::vector<std::string> operators;
  std::size_t instruction_count = 0;
};

struct PteFile {
  std::vector<PteMethod> methods;
  std::size_t segment_count = 0;
  std::vector<Finding> findings;  // everything wrong with the container
};

// Whether the bytes claim to be a program.
bool looks_like_program(std::string_view bytes);

// Never fails and never throws but std::bad_alloc: what cannot be read becomes a finding.
// `bytes` must be aligned to 16 and outlive the result.
PteFile read_pte(std::string_view bytes);

// Indices of the method's inputs that go into delegate argument `argument` of `delegate` without a copy.
// Empty when another value does.
std::vector<std::size_t> inputs_feeding(const PteMethod& method, const PteDelegate& delegate, std::size_t argument);

}  // namespace trtet
