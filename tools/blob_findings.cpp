#include "blob_findings.h"

#include <NvInferRuntime.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "blob.h"
#include "common/log.h"
#include "executorch_backend_tensorrt/options.h"
#include "load_options.h"
#include "metadata.h"
#include "metadata_probe.h"
#include "plan_tag.h"

namespace trtet {
namespace {

namespace delegate = executorch_backend_tensorrt;
using executorch::runtime::ArrayRef;
using executorch::runtime::BackendOption;
using executorch::runtime::CompileSpec;
using executorch::runtime::Span;

constexpr std::size_t kMaxCopiedBlobBytes = std::size_t{64} << 20;

Span<const std::uint8_t> as_span(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// The delegate's complaint about a blob's header; empty when it has none.
std::string complaint_about(std::string_view blob) {
  LogCapture log;
  if (delegate::parse_blob(as_span(blob)).ok()) return "";
  const auto messages = log.take();
  return messages.empty() ? "the blob is refused" : messages.front();
}

struct HeaderField {
  std::size_t offset;
  std::string_view sound;  // bytes no rule objects to, given sound fields elsewhere
};

// Together: empty metadata at 32, one engine byte at 32. Sizes come before offsets, so that either can be blamed alone.
constexpr HeaderField kHeaderFields[] = {
    {0, {"TR01", 4}},        {8, {"\0\0\0\0", 4}}, {4, {"\x20\0\0\0", 4}}, {16, {"\1\0\0\0\0\0\0\0", 8}},
    {12, {"\x20\0\0\0", 4}},
};

// Complaints about the header beyond the first: each time one field is replaced so that the complaint changes.
void find_header_problems(std::string_view blob, const std::string& where, std::vector<Finding>& findings,
                          ProbeBudget& budget) {
  std::string complaint = complaint_about(blob);
  if (complaint.empty()) return;
  findings.push_back({where, complaint});
  if (blob.size() <= delegate::kBlobHeaderBytes || blob.size() > std::min(kMaxCopiedBlobBytes, budget.bytes_left))
    return;
  budget.bytes_left -= blob.size();
  std::string copy(blob);
  for (std::size_t round = 0; round < std::size(kHeaderFields) && !complaint.empty(); ++round) {
    std::string next = complaint;
    for (const HeaderField& field : kHeaderFields) {
      const std::string kept = copy.substr(field.offset, field.sound.size());
      copy.replace(field.offset, field.sound.size(), field.sound);
      next = complaint_about(copy);
      if (next != complaint) break;
      copy.replace(field.offset, field.sound.size(), kept);
    }
    if (next == complaint) return;
    complaint = next;
    if (!complaint.empty()) findings.push_back({where, complaint});
  }
}

void find_engine_problems(Span<const std::uint8_t> engine, const std::string& where, std::vector<Finding>& findings) {
  const auto version = delegate::read_plan_version(engine.data(), engine.size());
  if (!version) {
    findings.push_back(
        {where, "the engine does not begin like a TensorRT plan (\"ftrt\"); TensorRT refuses it. Export again"});
  } else if (version->major != NV_TENSORRT_MAJOR) {
    findings.push_back({where, "the engine was built by TensorRT " + std::to_string(version->major) + "." +
                                   std::to_string(version->minor) + "; this delegate runs TensorRT " +
                                   std::to_string(NV_TENSORRT_MAJOR) + ". Export again with that"});
  }
}

// Each compile spec alone, then all together: the delegate stops at the first bad one. Without readable metadata the
// check of the device against it is switched off, as the load-time option does.
void find_spec_problems(const std::vector<PteCompileSpec>& specs, const delegate::Metadata* metadata,
                        const std::string& where, std::vector<Finding>& findings) {
  std::vector<CompileSpec> all;
  for (const PteCompileSpec& spec : specs) {
    CompileSpec view{};
    view.key = spec.key.c_str();
    view.value = {const_cast<char*>(spec.value.data()), spec.value.size()};
    all.push_back(view);
  }
  BackendOption chosen_device;
  std::strcpy(chosen_device.key, delegate::kDeviceId);
  chosen_device.value = 0;
  const Span<const BackendOption> options(&chosen_device, metadata == nullptr ? 1 : 0);
  const delegate::Metadata unknown;
  std::set<std::string> seen;
  const auto ask = [&](const CompileSpec* first, std::size_t count) {
    LogCapture log;
    if (delegate::read_load_options(options, {first, count}, metadata == nullptr ? unknown : *metadata).ok()) return;
    for (const std::string& message : log.take())
      if (seen.insert(message).second) findings.push_back({where, message});
  };
  for (const CompileSpec& spec : all) ask(&spec, 1);
  ask(all.data(), all.size());
}

}  // namespace

std::vector<Finding> find_blob_problems(std::string_view blob, const std::vector<PteCompileSpec>& specs,
                                        const std::string& where, ProbeBudget& budget) {
  std::vector<Finding> findings;
  find_header_problems(blob, where, findings, budget);
  if (!findings.empty()) {
    find_spec_problems(specs, nullptr, where, findings);
    return findings;
  }
  const auto parts = delegate::parse_blob(as_span(blob));
  LogCapture log;
  const auto metadata = delegate::parse_metadata(parts->metadata);
  if (!metadata.ok()) {
    const auto messages = log.take();
    for (const std::string& complaint : find_metadata_problems(parts->metadata, messages, budget))
      findings.push_back({where, complaint});
  }
  find_spec_problems(specs, metadata.ok() ? &*metadata : nullptr, where, findings);
  find_engine_problems(parts->engine, where, findings);
  return findings;
}

std::vector<Finding> find_call_problems(const PteDelegate& program_delegate, const std::string& where) {
  std::vector<Finding> findings;
  LogCapture log;
  const auto parts = delegate::parse_blob(as_span(program_delegate.blob.value_or("")));
  if (!parts.ok()) return findings;
  const auto metadata = delegate::parse_metadata(parts->metadata);
  if (!metadata.ok() || metadata->bindings.empty()) return findings;
  const std::size_t wanted = metadata->bindings.size();
  for (const PteDelegateCall& call : program_delegate.calls)
    if (call.arguments.size() != wanted)
      findings.push_back({where, "it is called with " + std::to_string(call.arguments.size()) +
                                     " arguments, its metadata names " + std::to_string(wanted) + " bindings"});
  return findings;
}

}  // namespace trtet
