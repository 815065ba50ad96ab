#include "common/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "common/failure.h"

namespace trtet {
namespace {

// Empty when `text` is decimal digits within the bounds; else what is wrong.
std::string check_number(const std::string& text, std::uint64_t lowest, std::uint64_t highest) {
  const bool is_digits =
      !text.empty() && text.size() <= 20 && text.find_first_not_of("0123456789") == std::string::npos;
  std::uint64_t value = 0;
  bool fits = is_digits;
  for (std::size_t i = 0; fits && i < text.size(); ++i)
    fits = !__builtin_mul_overflow(value, 10U, &value) &&
           !__builtin_add_overflow(value, static_cast<std::uint64_t>(text[i] - '0'), &value);
  if (fits && value >= lowest && value <= highest) return "";
  return "'" + text + "' is not a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

void check_names_are_single(const std::vector<std::pair<std::string, std::string>>& pairs, const std::string& flag) {
  std::set<std::string> seen;
  for (const auto& [name, value] : pairs)
    if (!seen.insert(name).second) throw UsageError(flag + ": '" + name + "' is given twice");
}

CLI::callback_t append_pair(std::vector<std::pair<std::string, std::string>>& pairs) {
  return [&pairs](const CLI::results_t& texts) {
    for (const std::string& text : texts) pairs.push_back(split_name_and_value(text));
    return true;
  };
}

}  // namespace

CLI::Validator positive_count(std::uint64_t limit) {
  return CLI::Validator([limit](std::string& text) { return check_number(text, 1, limit); }, "COUNT");
}

CLI::Validator natural_number(std::uint64_t limit) {
  return CLI::Validator([limit](std::string& text) { return check_number(text, 0, limit); }, "NUMBER");
}

CLI::Validator tolerance_value() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool is_number = !text.empty() && text[0] != ' ' && end == text.c_str() + text.size();
        return is_number && std::isfinite(value) && value >= 0 ? ""
                                                               : "'" + text + "' is not a finite number of 0 or more";
      },
      "T");
}

CLI::Validator name_and_value(bool allows_empty_value) {
  return CLI::Validator(
      [allows_empty_value](std::string& text) -> std::string {
        const std::size_t at = text.find('=');
        if (at == std::string::npos || at == 0 || (!allows_empty_value && at + 1 == text.size()))
          return "'" + text + "' is not of the form NAME=VALUE";
        return "";
      },
      "NAME=VALUE");
}

CLI::Option* add_single_flag(CLI::App& app, const std::string& name, bool& value, const std::string& help) {
  return app.add_flag(name, value, help)->multi_option_policy(CLI::MultiOptionPolicy::Throw)->disable_flag_override();
}

std::pair<std::string, std::string> split_name_and_value(const std::string& text) {
  const std::size_t at = text.find('=');
  return {text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 1)};
}

void add_program_arguments(CLI::App& app, ProgramArguments& arguments) {
  app.add_option("model", arguments.model, "The program to run, a .pte file")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  app.add_option("--method", arguments.method, "Method to run (default: forward, or the only one)")->type_name("NAME");
  app.add_option("--input", append_pair(arguments.inputs),
                 "Input by name or index from an .npy file; others are ones. Repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(name_and_value(false))
      ->check([](const std::string& text) { return CLI::ExistingFile(split_name_and_value(text).second); })
      ->type_name("NAME=FILE.npy");
  app.add_option("--random", arguments.random_seed, "Fill inputs with random values of this seed instead of ones")
      ->check(natural_number(UINT64_MAX))
      ->type_name("SEED");
  app.add_option("--option", append_pair(arguments.options),
                 "Load-time option of the delegate: true and false are bools, whole numbers ints, all else strings. "
                 "Repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(name_and_value(true))
      ->type_name("KEY=VALUE");
  app.add_option("--device", arguments.device, "GPU to run on, in place of the one the program names")
      ->check(natural_number(127))
      ->type_name("N");
  add_single_flag(app, "--caller-stream", arguments.wants_caller_stream, "Run on a stream made by this tool");
  app.add_option("--green-context-sms", arguments.green_context_sms,
                 "Run on a stream of a green context of N multiprocessors; fails when none can be made. "
                 "0 is an ordinary stream")
      ->check(natural_number(1024))
      ->type_name("N");
  add_single_flag(app, "--json", arguments.wants_json, "Print one JSON object instead of text");
}

void check_program_arguments(const ProgramArguments& arguments) {
  check_names_are_single(arguments.options, "--option");
  check_names_are_single(arguments.inputs, "--input");
  const bool names_device = std::any_of(arguments.options.begin(), arguments.options.end(),
                                        [](const auto& option) { return option.first == "device_id"; });
  if (arguments.device && names_device)
    throw UsageError("--device and --option device_id=... say the same thing; give one");
  if (arguments.wants_caller_stream && arguments.green_context_sms)
    throw UsageError("--caller-stream and --green-context-sms each choose the stream; give one");
}

}  // namespace trtet
