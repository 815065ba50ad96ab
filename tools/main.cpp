// trtet: run, measure and look inside programs that hold TensorRT engines.
#include <CLI/CLI.hpp>

#include <exception>
#include <string>

#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/help.h"
#include "common/log.h"
#include "common/terminal.h"

namespace {

// CLI11 answers help and version through exceptions too; those are not errors.
int report_parse_result(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    const bool is_version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
    trtet::print(is_version ? std::string(error.what()) + "\n" : app.help());
    return trtet::kExitOk;
  }
  std::string name = "trtet";
  for (const auto* command : app.get_subcommands()) name += " " + command->get_name();
  // Without a known sub-command CLI11 only says that one is required.
  const bool is_unknown = app.get_subcommands().empty() && !app.remaining().empty();
  const std::string what = is_unknown ? "'" + app.remaining().front() + "' is not a sub-command" : error.what();
  trtet::print_error(name + ": " + what + "\nFor usage: " + name + " --help");
  return trtet::kExitUsage;
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Runs, measures and looks inside ExecuTorch programs that hold TensorRT engines.", "trtet");
  app.formatter(trtet::make_help_formatter());
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("trtet " TRTET_VERSION));
  bool is_verbose = false;
  trtet::add_single_flag(app, "--verbose", is_verbose, "Show ExecuTorch's informational log lines too");
  app.footer("Exit codes: 0 right, 1 the program, file or comparison failed, 2 wrong usage, 130 interrupted.");
  trtet::Action action;
  for (const auto add : {trtet::add_run, trtet::add_bench, trtet::add_inspect, trtet::add_extract, trtet::add_pack,
                         trtet::add_kv_check, trtet::add_doctor})
    add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_result(app, error);
  }
  trtet::route_executorch_log(is_verbose);
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  trtet::secure_standard_streams();
  try {
    return run_command_line(argc, argv);
  } catch (const trtet::UsageError& error) {
    trtet::print_error(std::string("trtet: ") + error.what());
    return trtet::kExitUsage;
  } catch (const std::bad_alloc&) {
    trtet::print_error("trtet: out of memory");
  } catch (const std::exception& error) {
    trtet::print_error(std::string("trtet: ") + error.what());
  }
  return trtet::kExitFailure;
}
