// Strict command-line values, shared by the sub-commands.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trtet {

// How to load a program and feed it; `run`, `bench` and `kv-check` share these.
struct ProgramArguments {
  std::string model;
  std::string method;                                        // empty: forward, or the only method
  std::vector<std::pair<std::string, std::string>> options;  // load-time options, key and value
  std::vector<std::pair<std::string, std::string>> inputs;   // input name or index, .npy file
  std::optional<std::uint64_t> random_seed;                  // none: ones
  std::optional<int> device;                                 // none: what the program names
  bool wants_caller_stream = false;
  std::optional<int> green_context_sms;  // 0: an ordinary stream
  bool wants_json = false;
};

// Decimal digits only, 1 to `limit`: no sign, no exponent, no zero.
CLI::Validator positive_count(std::uint64_t limit = 1000000000);

// Decimal digits only, 0 to `limit`.
CLI::Validator natural_number(std::uint64_t limit);

// A finite number, 0 or more.
CLI::Validator tolerance_value();

// Adds a flag that may stand once.
CLI::Option* add_single_flag(CLI::App& app, const std::string& name, bool& value, const std::string& help);

// "name=value" with both sides non-empty (`allows_empty_value` lets the right one be empty).
CLI::Validator name_and_value(bool allows_empty_value);

// Adds the options of ProgramArguments to a sub-command. Values arrive in `arguments` when it is parsed.
void add_program_arguments(CLI::App& app, ProgramArguments& arguments);

// Throws UsageError when two options contradict each other or a name is given twice.
void check_program_arguments(const ProgramArguments& arguments);

// Splits at the first '='.
std::pair<std::string, std::string> split_name_and_value(const std::string& text);

}  // namespace trtet
