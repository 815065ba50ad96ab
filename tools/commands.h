// One function per sub-command: adds it to the command line. The action runs after the whole line was checked
// and returns the exit code; it may throw Failure or UsageError.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace trtet {

using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_extract(CLI::App& app, Action& action);
void add_pack(CLI::App& app, Action& action);
void add_kv_check(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);

}  // namespace trtet
