// trtet inspect: what a program, a blob or a plan holds, and everything the delegate would refuse about it.
#include <memory>

#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/file.h"
#include "common/json.h"
#include "common/terminal.h"
#include "inspect_report.h"

namespace trtet {
namespace {

struct InspectArguments {
  std::string file;
  bool wants_json = false;
};

int inspect(const InspectArguments& arguments) {
  const MappedFile file(arguments.file);
  const Json report = inspect_bytes({reinterpret_cast<const char*>(file.data()), file.size()}, arguments.file);
  print(arguments.wants_json ? json_text(report) : render_report(report));
  return report["problems"].empty() ? kExitOk : kExitFailure;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App& command = *app.add_subcommand("inspect", "Show what a .pte, a delegate blob or a plan holds; run nothing");
  command.footer(
      "Needs neither GPU nor TensorRT. Exit code 1 when the delegate would refuse something; all problems are listed.\n"
      "Examples:\n"
      "  trtet inspect model.pte\n"
      "  trtet inspect model.pte --json | jq .problems");
  command.add_option("file", arguments->file, "A .pte program, a TensorRT blob or a plan")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  add_single_flag(command, "--json", arguments->wants_json, "Print one JSON object instead of text");
  command.callback([arguments, &action] { action = [arguments] { return inspect(*arguments); }; });
}

}  // namespace trtet
