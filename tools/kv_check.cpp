// trtet kv-check: does a decoder's cache, in the caller's memory, survive from one call to the next?
#include <cmath>
#include <cstring>
#include <memory>

#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/input_arrays.h"
#include "common/json.h"
#include "common/session.h"
#include "common/terminal.h"

namespace trtet {
namespace {

using executorch::runtime::Tag;

struct KvCheckArguments {
  ProgramArguments program;
  std::string position;
  std::string logits = "0";
  double tolerance = 1e-6;
};

// The input that says where in the sequence a call is: by name, else the last single integer that is no cache.
std::size_t find_position(const Session& session, const std::string& name) {
  if (!name.empty()) return find_value(session.inputs(), name, "input", "--position");
  const auto& inputs = session.inputs();
  for (std::size_t i = inputs.size(); i-- > 0;) {
    const ValueInfo& input = inputs[i];
    if (input.tag == Tag::Int) return i;
    const bool is_integer = input.dtype == ScalarType::Long || input.dtype == ScalarType::Int;
    if (input.tag == Tag::Tensor && is_integer && !input.is_cache && element_count(input.sizes) == 1) return i;
  }
  throw UsageError("--position is needed: the program has no input of one integer");
}

Array position_array(const Session& session, std::size_t input, std::int64_t position) {
  const ValueInfo& info = session.inputs()[input];
  Array array = make_array(array_dtype(info), info.tag == Tag::Tensor ? info.sizes : std::vector<std::int32_t>{});
  std::memcpy(array.bytes.data(), &position, array.bytes.size());
  return array;
}

// A fresh load with zeroed caches, decoding at these positions in turn. Returns the logits of the last.
Array decode(const KvCheckArguments& arguments, std::initializer_list<std::int64_t> positions) {
  Session session(arguments.program);
  const std::size_t position_input = find_position(session, arguments.position);
  const std::size_t logits_output = find_value(session.outputs(), arguments.logits, "output", "--logits");
  session.bind_inputs(make_input_arrays(session.inputs(), arguments.program));
  for (const std::int64_t position : positions) {
    session.rebind_input(position_input, position_array(session, position_input, position));
    session.execute();
  }
  return std::move(session.read_outputs().at(logits_output).array);
}

bool has_nan(const Array& array) {
  if (!is_floating(array.dtype)) return false;
  for (std::size_t i = 0; i < array.count(); ++i)
    if (std::isnan(element_as_double(array, i))) return true;
  return false;
}

struct Verdict {
  bool persists = false;
  std::string reason;
  double difference = 0;
};

Verdict judge(const Array& alone, const Array& after, double tolerance) {
  if (has_nan(alone) || has_nan(after))
    return {false, "the logits hold NaN: the cache did not start at zero, or the program is broken", 0};
  const Comparison comparison = compare(after, alone, tolerance);
  if (comparison.matches)
    return {false, "decoding at 0 and then 1 gives the logits of decoding at 1 alone: the cache did not persist",
            comparison.max_error};
  return {true, "what was decoded at position 0 changes the logits at position 1: the cache persists",
          comparison.max_error};
}

int kv_check(const KvCheckArguments& arguments) {
  check_program_arguments(arguments.program);
  const Array alone = decode(arguments, {1});
  const Array after = decode(arguments, {0, 1});
  const Verdict verdict = judge(alone, after, arguments.tolerance);
  if (arguments.program.wants_json) {
    const Json report = {{"model", arguments.program.model},
                         {"persists", verdict.persists},
                         {"max_difference", verdict.difference},
                         {"tolerance", arguments.tolerance},
                         {"reason", verdict.reason}};
    print(json_text(report));
  } else {
    char difference[64];
    std::snprintf(difference, sizeof difference, " (largest difference %.3g)", verdict.difference);
    print((verdict.persists ? coloured("PASS", Colour::kGreen) : coloured("FAIL", Colour::kRed)) + "  " +
          arguments.program.model + ": " + verdict.reason + difference + "\n");
  }
  return verdict.persists ? kExitOk : kExitFailure;
}

}  // namespace

void add_kv_check(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<KvCheckArguments>();
  CLI::App& command = *app.add_subcommand("kv-check", "Check that a decoder's KV cache persists between calls");
  command.footer(
      "Loads the program twice with zeroed caches and decodes the same token at position 1 alone, and at 0 then 1.\n"
      "Equal logits mean that the cache did not persist: exit code 1, as for NaN.\n"
      "Examples:\n"
      "  trtet kv-check decoder.pte\n"
      "  trtet kv-check decoder.pte --position input_pos --logits 0 --input tokens=token.npy");
  add_program_arguments(command, arguments->program);
  command
      .add_option("--position", arguments->position, "Input that holds the position (default: the last single integer)")
      ->type_name("NAME");
  command.add_option("--logits", arguments->logits, "Output to compare (default: the first)")->type_name("NAME");
  command.add_option("--tolerance", arguments->tolerance, "Logits count as equal within this (default 1e-6)")
      ->check(tolerance_value())
      ->type_name("T");
  command.callback([arguments, &action] { action = [arguments] { return kv_check(*arguments); }; });
}

}  // namespace trtet
