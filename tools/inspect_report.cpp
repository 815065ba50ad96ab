#include "inspect_report.h"

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/executor/program.h>

#include <algorithm>

#include "blob.h"
#include "blob_findings.h"
#include "common/array.h"
#include "common/log.h"
#include "common/terminal.h"
#include "executorch_backend_tensorrt/options.h"
#include "metadata.h"
#include "plan_tag.h"
#include "pte_reader.h"

namespace trtet {
namespace {

namespace delegate = executorch_backend_tensorrt;
using executorch::runtime::Span;

constexpr std::size_t kMaxCheckedDelegates = 1000;
constexpr std::size_t kMaxListed = 10000;

std::string device_text(const PtePlacement& placement) {
  switch (placement.type) {
    case PteDevice::kCpu:
      return "cpu";
    case PteDevice::kCuda:
      return "cuda:" + std::to_string(placement.index);
    default:
      return "unknown device";
  }
}

Json describe_value(const PteMethod& method, std::int32_t index) {
  const PteValue& value = method.values[static_cast<std::size_t>(index)];
  Json out = {{"value", index}, {"name", printable(value.name)}, {"type", value.kind}};
  if (!value.tensor) return out;
  out["dtype"] = dtype_name(static_cast<ScalarType>(value.tensor->scalar_type));
  out["shape"] = value.tensor->sizes;
  out["dynamism"] = value.tensor->dynamism;
  out["device"] = device_text(value.tensor->placement);
  out["planned"] = value.tensor->is_planned;
  return out;
}

Json describe_plan(Span<const std::uint8_t> engine) {
  Json out = {{"size_bytes", engine.size()}};
  const auto version = delegate::read_plan_version(engine.data(), engine.size());
  if (version)
    out["tensorrt_version"] = std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                              std::to_string(version->patch) + "." + std::to_string(version->build);
  else
    out["tensorrt_version"] = nullptr;
  return out;
}

Json describe_metadata(const delegate::Metadata& metadata) {
  Json bindings = Json::array(), aliases = Json::array();
  for (const auto& binding : metadata.bindings) {
    if (bindings.size() == kMaxListed) break;
    const std::int64_t* shape = metadata.shape_values.data() + binding.shape_begin;
    bindings.push_back(
        {{"name", printable(binding.name, 4096)},
         {"dtype", printable(binding.dtype)},
         {"shape", std::vector<std::int64_t>(shape, shape + std::min<std::size_t>(binding.shape_count, 64))},
         {"is_input", binding.is_input}});
  }
  for (const auto& alias : metadata.aliases) {
    if (aliases.size() == kMaxListed) break;
    aliases.push_back({{"output", printable(alias.output, 4096)},
                       {"input", printable(alias.input, 4096)},
                       {"kind", alias.kind == delegate::AliasKind::kUser ? "user" : "kv_cache_update"}});
  }
  return {{"bindings", bindings},
          {"aliases", aliases},
          {"device_id", metadata.device_id},
          {"hardware_compatible", metadata.hardware_compatible},
          {"target_platform", printable(metadata.target_platform)}};
}

// What of a blob can be read; nothing more when its header is refused.
Json describe_blob(std::string_view blob) {
  LogCapture log;
  Json out = {{"size_bytes", blob.size()}, {"magic", printable(blob.substr(0, 4))}};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(blob.data());
  const auto parts = delegate::parse_blob({bytes, blob.size()});
  if (!parts.ok()) return out;
  out["metadata_offset"] = parts->metadata.data() - blob.data();
  out["metadata_bytes"] = parts->metadata.size();
  out["engine_offset"] = parts->engine.data() - bytes;
  out["engine"] = describe_plan(parts->engine);
  const auto metadata = delegate::parse_metadata(parts->metadata);
  if (metadata.ok()) out.update(describe_metadata(*metadata));
  return out;
}

Json describe_spec(const PteCompileSpec& spec) {
  return {{"key", printable(spec.key)}, {"value", printable(spec.value)}};
}

Json describe_delegate(const PteDelegate& part) {
  Json out = {{"backend", printable(part.backend)}};
  Json specs = Json::array(), calls = Json::array();
  for (const PteCompileSpec& spec : part.compile_specs) specs.push_back(describe_spec(spec));
  for (const PteDelegateCall& call : part.calls) calls.push_back(call.arguments);
  out["compile_specs"] = specs;
  out["call_arguments"] = calls;
  out["data_bytes"] = part.blob ? Json(part.blob->size()) : Json(nullptr);
  if (part.backend == delegate::kBackendName && part.blob) out["blob"] = describe_blob(*part.blob);
  return out;
}

Json describe_method(const PteMethod& method) {
  Json inputs = Json::array(), outputs = Json::array(), memory = Json::array(), delegates = Json::array(),
       operators = Json::array();
  for (const std::int32_t index : method.inputs) inputs.push_back(describe_value(method, index));
  for (const std::int32_t index : method.outputs) outputs.push_back(describe_value(method, index));
  for (const PteBuffer& buffer : method.buffers)
    memory.push_back({{"size_bytes", buffer.size_bytes}, {"device", device_text(buffer.placement)}});
  for (const std::string& name : method.operators) operators.push_back(printable(name));
  for (const PteDelegate& part : method.delegates) {
    if (delegates.size() == kMaxCheckedDelegates) break;
    delegates.push_back(describe_delegate(part));
  }
  return {{"name", printable(method.name)},
          {"inputs", inputs},
          {"outputs", outputs},
          {"memory", memory},
          {"operators", operators},
          {"instructions", method.instruction_count},
          {"delegates", delegates}};
}

// What ExecuTorch's own loader says, when it refuses.
void find_loader_problems(std::string_view bytes, std::vector<Finding>& findings) {
  using executorch::runtime::Program;
  LogCapture log;
  executorch::extension::BufferDataLoader loader(bytes.data(), bytes.size());
  const auto program = Program::load(&loader, Program::Verification::InternalConsistency);
  if (program.ok()) return;
  const auto messages = log.take();
  findings.push_back({"program", std::string("ExecuTorch refuses it: ") +
                                     executorch::runtime::to_string(program.error()) +
                                     (messages.empty() ? "" : ", " + messages.front())});
}

void find_delegate_problems(const PteFile& file, std::vector<Finding>& findings) {
  ProbeBudget budget;
  std::size_t checked = 0;
  for (const PteMethod& method : file.methods) {
    for (std::size_t i = 0; i < method.delegates.size(); ++i) {
      const PteDelegate& part = method.delegates[i];
      if (part.backend != delegate::kBackendName || !part.blob) continue;
      const std::string where = printable(method.name) + ": delegate " + std::to_string(i);
      if (++checked > kMaxCheckedDelegates) {
        findings.push_back({where, "more than " + std::to_string(kMaxCheckedDelegates) +
                                       " delegates; this and later ones are not checked"});
        return;
      }
      for (Finding& finding : find_blob_problems(*part.blob, part.compile_specs, where, budget))
        findings.push_back(std::move(finding));
      for (Finding& finding : find_call_problems(part, where)) findings.push_back(std::move(finding));
    }
  }
}

Json list_findings(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings)
    list.push_back({{"where", printable(finding.where)}, {"what", printable(finding.what, 1024)}});
  return list;
}

void inspect_program(std::string_view bytes, Json& report) {
  PteFile file = read_pte(bytes);
  find_loader_problems(bytes, file.findings);
  find_delegate_problems(file, file.findings);
  report["segments"] = file.segment_count;
  report["methods"] = Json::array();
  for (const PteMethod& method : file.methods) report["methods"].push_back(describe_method(method));
  report["problems"] = list_findings(file.findings);
}

}  // namespace

Json inspect_bytes(std::string_view bytes, const std::string& name) {
  Json report = {{"file", printable(name, 4096)}, {"kind", "unknown"}, {"size_bytes", bytes.size()}};
  const Span<const std::uint8_t> span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (looks_like_program(bytes)) {
    report["kind"] = "program";
    inspect_program(bytes, report);
  } else if (bytes.substr(0, 2) == "TR") {
    report["kind"] = "blob";
    report["blob"] = describe_blob(bytes);
    ProbeBudget budget;
    report["problems"] = list_findings(find_blob_problems(bytes, {}, "blob", budget));
  } else if (delegate::read_plan_version(span.data(), span.size())) {
    report["kind"] = "plan";
    report["engine"] = describe_plan(span);
    report["problems"] = Json::array();
  } else {
    report["problems"] = list_findings({{"file",
                                         "neither an ExecuTorch program (\"ET12\" at byte 4), nor a TensorRT blob "
                                         "(\"TR01\", \"TR02\"), nor a plan (\"ftrt\"); or it is cut short"}});
  }
  return report;
}

}  // namespace trtet
