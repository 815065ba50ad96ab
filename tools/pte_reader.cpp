#include "pte_reader.h"

#include <algorithm>
#include <cstring>

#include "program_generated.h"

namespace trtet {
namespace {

namespace fb = executorch_flatbuffer;

constexpr std::size_t kExtendedHeaderOffset = 8;
constexpr char kExtendedMagic[] = "eh00";
constexpr std::uint32_t kMinExtendedHeaderBytes = 24;
constexpr flatbuffers::uoffset_t kMaxDepth = 64;
constexpr flatbuffers::uoffset_t kMaxTables = 1000000;

std::uint64_t read_little_endian(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  return value;
}

template <typename T>
std::size_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : std::min<std::size_t>(vector->size(), kListLimit);
}

PtePlacement placement_of(fb::DeviceType type, int index) {
  const PteDevice device = type == fb::DeviceType::CPU    ? PteDevice::kCpu
                           : type == fb::DeviceType::CUDA ? PteDevice::kCuda
                                                          : PteDevice::kUnknown;
  return {device, index};
}

// The two parts of a file: flatbuffer and where segments count from.
struct Layout {
  std::size_t program_bytes = 0;
  std::uint64_t segment_base = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes), budget_bytes_(bytes.size() * 4 + kListLimit) {}

  PteFile read() {
    if (!read_layout() || !verify()) return std::move(file_);
    program_ = fb::GetProgram(bytes_.data());
    file_.segment_count = program_->segments() == nullptr ? 0 : program_->segments()->size();
    if (size_of(program_->execution_plan()) == 0) add("program", "it has no method");
    for (std::size_t i = 0; i < size_of(program_->execution_plan()); ++i) {
      const auto* plan = program_->execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(i));
      file_.methods.push_back(read_method(*plan));
    }
    return std::move(file_);
  }

 private:
  void add(const std::string& where, const std::string& what) {
    if (file_.findings.size() < 1000) file_.findings.push_back({where, what});
  }

  // Copies are paid for from a budget proportional to the file: parts that many others share must not multiply it.
  std::size_t spend(std::size_t wanted_bytes) {
    const std::size_t granted = std::min(wanted_bytes, budget_bytes_);
    budget_bytes_ -= granted;
    if (granted < wanted_bytes && !is_over_budget_) {
      is_over_budget_ = true;
      add("program", "its parts are shared so often that not all of it is listed; no exporter writes that");
    }
    return granted;
  }
  std::string text_of(const flatbuffers::String* text, std::size_t limit = 1024) {
    return text == nullptr ? "" : std::string(text->c_str(), spend(std::min<std::size_t>(text->size(), limit)));
  }

  bool read_layout();
  bool verify();
  PteMethod read_method(const fb::ExecutionPlan& plan);
  PteValue read_value(const fb::EValue& value);
  std::optional<PteTensor> read_tensor(const fb::Tensor& tensor);
  void read_buffers(const fb::ExecutionPlan& plan, PteMethod& method);
  void read_copy(const fb::KernelCall& call, PteMethod& method);
  void read_calls(const fb::ExecutionPlan& plan, PteMethod& method);
  PteDelegate read_delegate(const fb::BackendDelegate& delegate, const std::string& where);
  std::optional<std::string_view> find_blob(const fb::BackendDelegateDataReference& place, const std::string& where);
  std::vector<std::int32_t> read_indices(const flatbuffers::Vector<std::int32_t>* list, std::size_t value_count,
                                         const std::string& where);

  std::string_view bytes_;
  Layout layout_;
  const fb::Program* program_ = nullptr;
  PteFile file_;
  std::size_t budget_bytes_;
  bool is_over_budget_ = false;
};

bool Reader::read_layout() {
  layout_.program_bytes = bytes_.size();
  const bool has_extended_header = bytes_.size() >= kExtendedHeaderOffset + kMinExtendedHeaderBytes &&
                                   bytes_.substr(kExtendedHeaderOffset, 4) == kExtendedMagic;
  if (has_extended_header) {
    const std::uint64_t length = read_little_endian(bytes_, 12, 4);
    const std::uint64_t program_bytes = read_little_endian(bytes_, 16, 8);
    layout_.segment_base = read_little_endian(bytes_, 24, 8);
    if (length < kMinExtendedHeaderBytes)
      add("header", "its length is " + std::to_string(length) + ", at least 24 is needed");
    if (program_bytes > bytes_.size()) {
      add("header", "the program needs " + std::to_string(program_bytes) + " bytes, the file has " +
                        std::to_string(bytes_.size()) + "; it is cut short");
      return false;
    }
    if (layout_.segment_base > bytes_.size())
      add("header", "segments begin at byte " + std::to_string(layout_.segment_base) + ", the file has " +
                        std::to_string(bytes_.size()) + "; it is cut short");
    layout_.program_bytes = static_cast<std::size_t>(program_bytes);
  }
  // The verifier asserts this; such a program would keep its weights outside segments, which no exporter does.
  if (layout_.program_bytes < 16 || layout_.program_bytes >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    add("header", "a program of " + std::to_string(layout_.program_bytes) + " bytes cannot be read");
    return false;
  }
  return true;
}

bool Reader::verify() {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes_.data());
  flatbuffers::Verifier verifier(data, layout_.program_bytes, kMaxDepth, kMaxTables);
  if (fb::VerifyProgramBuffer(verifier)) return true;
  add("program", "the flatbuffer is damaged or cut short: an offset, a length or an alignment is wrong");
  return false;
}

std::vector<std::int32_t> Reader::read_indices(const flatbuffers::Vector<std::int32_t>* list, std::size_t value_count,
                                               const std::string& where) {
  std::vector<std::int32_t> indices;
  const std::size_t count = spend(size_of(list) * sizeof(std::int32_t)) / sizeof(std::int32_t);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t index = list->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (index >= 0 && static_cast<std::size_t>(index) < value_count)
      indices.push_back(index);
    else
      add(where, "[" + std::to_string(i) + "] is value " + std::to_string(index) + ", the method has " +
                     std::to_string(value_count));
  }
  return indices;
}

std::optional<PteTensor> Reader::read_tensor(const fb::Tensor& tensor) {
  PteTensor out;
  out.scalar_type = static_cast<int>(tensor.scalar_type());
  // Ranks beyond ExecuTorch's 16 are damage; a shape is cut rather than copied for each of many values.
  for (std::size_t i = 0; i < std::min<std::size_t>(size_of(tensor.sizes()), 16); ++i)
    out.sizes.push_back(tensor.sizes()->Get(static_cast<flatbuffers::uoffset_t>(i)));
  out.dynamism = tensor.shape_dynamism() == fb::TensorShapeDynamism::STATIC          ? "static"
                 : tensor.shape_dynamism() == fb::TensorShapeDynamism::DYNAMIC_BOUND ? "bounded"
                                                                                     : "unbounded";
  out.is_planned = tensor.allocation_info() != nullptr;
  out.is_constant = tensor.data_buffer_idx() > 0 && !out.is_planned;
  if (const auto* extra = tensor.extra_tensor_info())
    out.placement = placement_of(extra->device_type(), extra->device_index());
  return out;
}

PteValue Reader::read_value(const fb::EValue& value) {
  PteValue out;
  switch (value.val_type()) {
    case fb::KernelTypes::Int:
      out.kind = "int";
      break;
    case fb::KernelTypes::Bool:
      out.kind = "bool";
      break;
    case fb::KernelTypes::Double:
      out.kind = "double";
      break;
    case fb::KernelTypes::String:
      out.kind = "string";
      break;
    case fb::KernelTypes::Tensor: {
      out.kind = "tensor";
      const auto* tensor = value.val_as_Tensor();
      if (tensor == nullptr) break;
      out.tensor = read_tensor(*tensor);
      const auto* extra = tensor->extra_tensor_info();
      if (extra != nullptr) out.name = text_of(extra->fully_qualified_name());
      break;
    }
    case fb::KernelTypes::NONE:
    case fb::KernelTypes::Null:
      break;
    default:
      out.kind = "list";
      break;
  }
  return out;
}

void Reader::read_buffers(const fb::ExecutionPlan& plan, PteMethod& method) {
  for (std::size_t i = 1; i < size_of(plan.non_const_buffer_sizes()); ++i) {
    const std::int64_t size_bytes = plan.non_const_buffer_sizes()->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (size_bytes < 0)
      add(method.name + ": memory", "buffer " + std::to_string(i) + " has " + std::to_string(size_bytes) + " bytes");
    method.buffers.push_back({size_bytes, {}});
  }
  for (std::size_t i = 0; i < size_of(plan.non_const_buffer_device()); ++i) {
    const auto* entry = plan.non_const_buffer_device()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::int32_t buffer = entry->buffer_idx();
    if (buffer < 1 || static_cast<std::size_t>(buffer) > method.buffers.size()) {
      if (buffer != 0)
        add(method.name + ": memory",
            "a device is given for buffer " + std::to_string(buffer) + ", which is not there");
      continue;
    }
    method.buffers[static_cast<std::size_t>(buffer) - 1].placement =
        placement_of(entry->device_type(), entry->device_index());
  }
}

std::optional<std::string_view> Reader::find_blob(const fb::BackendDelegateDataReference& place,
                                                  const std::string& where) {
  const std::uint32_t index = place.index();
  if (place.location() == fb::DataLocation::INLINE) {
    if (program_->backend_delegate_data() == nullptr || index >= program_->backend_delegate_data()->size()) {
      add(where, "its data is inline entry " + std::to_string(index) + ", which is not there");
      return std::nullopt;
    }
    const auto* data = program_->backend_delegate_data()->Get(index)->data();
    if (data == nullptr) return std::string_view();
    return std::string_view(reinterpret_cast<const char*>(data->data()), data->size());
  }
  if (place.location() != fb::DataLocation::SEGMENT || program_->segments() == nullptr ||
      index >= program_->segments()->size()) {
    add(where, "its data is segment " + std::to_string(index) + ", which is not there");
    return std::nullopt;
  }
  const auto* segment = program_->segments()->Get(index);
  const std::uint64_t room = bytes_.size() - std::min<std::uint64_t>(layout_.segment_base, bytes_.size());
  if (segment->offset() > room || segment->size() > room - segment->offset()) {
    add(where, "its segment " + std::to_string(index) + " (offset " + std::to_string(segment->offset()) + ", " +
                   std::to_string(segment->size()) + " bytes) passes the end of the file; it is cut short");
    return std::nullopt;
  }
  return bytes_.substr(static_cast<std::size_t>(layout_.segment_base + segment->offset()),
                       static_cast<std::size_t>(segment->size()));
}

PteDelegate Reader::read_delegate(const fb::BackendDelegate& delegate, const std::string& where) {
  PteDelegate out;
  out.backend = text_of(delegate.id());
  if (delegate.processed() == nullptr)
    add(where, "it has no data");
  else
    out.blob = find_blob(*delegate.processed(), where);
  for (std::size_t i = 0; i < std::min<std::size_t>(size_of(delegate.compile_specs()), 1000); ++i) {
    const auto* spec = delegate.compile_specs()->Get(static_cast<flatbuffers::uoffset_t>(i));
    PteCompileSpec out_spec{text_of(spec->key()), {}};
    if (spec->value() != nullptr)
      out_spec.value.assign(reinterpret_cast<const char*>(spec->value()->data()),
                            spend(std::min<std::size_t>(spec->value()->size(), 4096)));
    out.compile_specs.push_back(std::move(out_spec));
  }
  return out;
}

void Reader::read_copy(const fb::KernelCall& call, PteMethod& method) {
  const std::int32_t op = call.op_index();
  const auto* arguments = call.args();
  if (op < 0 || static_cast<std::size_t>(op) >= method.operators.size() || arguments == nullptr ||
      arguments->size() < 2)
    return;
  const std::string& name = method.operators[static_cast<std::size_t>(op)];
  if (name.find("_h2d_copy") == std::string::npos && name.find("_d2h_copy") == std::string::npos) return;
  const std::int32_t from = arguments->Get(0), to = arguments->Get(arguments->size() - 1);
  const auto is_value = [&](std::int32_t index) {
    return index >= 0 && static_cast<std::size_t>(index) < method.values.size();
  };
  if (is_value(from) && is_value(to)) method.copies.push_back({from, to});
}

void Reader::read_calls(const fb::ExecutionPlan& plan, PteMethod& method) {
  for (std::size_t c = 0; c < size_of(plan.chains()); ++c) {
    const auto* instructions = plan.chains()->Get(static_cast<flatbuffers::uoffset_t>(c))->instructions();
    method.instruction_count += size_of(instructions);
    for (std::size_t i = 0; i < size_of(instructions); ++i) {
      const auto* instruction = instructions->Get(static_cast<flatbuffers::uoffset_t>(i));
      if (const auto* kernel = instruction->instr_args_as_KernelCall()) read_copy(*kernel, method);
      const auto* call = instruction->instr_args_as_DelegateCall();
      if (call == nullptr) continue;
      const std::string where = method.name + ": instruction " + std::to_string(i);
      const std::int32_t index = call->delegate_index();
      if (index < 0 || static_cast<std::size_t>(index) >= method.delegates.size()) {
        add(where, "it calls delegate " + std::to_string(index) + ", the method has " +
                       std::to_string(method.delegates.size()));
        continue;
      }
      auto& calls = method.delegates[static_cast<std::size_t>(index)].calls;
      // One call is what exporters write; more are kept only so far that a hostile file cannot multiply its size.
      if (calls.size() < 8) calls.push_back({read_indices(call->args(), method.values.size(), where + ": argument")});
    }
  }
}

PteMethod Reader::read_method(const fb::ExecutionPlan& plan) {
  PteMethod method;
  method.name = text_of(plan.name());
  for (std::size_t i = 0; i < size_of(plan.values()); ++i)
    method.values.push_back(read_value(*plan.values()->Get(static_cast<flatbuffers::uoffset_t>(i))));
  method.inputs = read_indices(plan.inputs(), method.values.size(), method.name + ": input");
  method.outputs = read_indices(plan.outputs(), method.values.size(), method.name + ": output");
  read_buffers(plan, method);
  for (std::size_t i = 0; i < size_of(plan.delegates()); ++i)
    method.delegates.push_back(read_delegate(*plan.delegates()->Get(static_cast<flatbuffers::uoffset_t>(i)),
                                             method.name + ": delegate " + std::to_string(i)));
  for (std::size_t i = 0; i < std::min<std::size_t>(size_of(plan.operators()), 1000); ++i) {
    const auto* op = plan.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::string overload = text_of(op->overload(), 256);
    method.operators.push_back(text_of(op->name(), 256) + (overload.empty() ? "" : "." + overload));
  }
  read_calls(plan, method);
  return method;
}

}  // namespace

bool looks_like_program(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.substr(4, 2) == "ET" && bytes[6] >= '0' && bytes[6] <= '9';
}

PteFile read_pte(std::string_view bytes) { return Reader(bytes).read(); }

std::vector<std::size_t> inputs_feeding(const PteMethod& method, const PteDelegate& delegate, std::size_t argument) {
  std::vector<std::size_t> found;
  for (const PteDelegateCall& call : delegate.calls) {
    if (argument >= call.arguments.size()) continue;
    for (std::size_t i = 0; i < method.inputs.size(); ++i)
      if (method.inputs[i] == call.arguments[argument]) found.push_back(i);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace trtet
