// trtet run: the reference runner.
#include <filesystem>
#include <memory>

#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/input_arrays.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/npy.h"
#include "common/progress.h"
#include "common/session.h"
#include "common/terminal.h"

namespace trtet {
namespace {

struct RunArguments {
  ProgramArguments program;
  std::uint64_t runs = 1;
  std::uint64_t warmup = 0;
  std::string output_dir;
  std::vector<std::string> expects;  // FILE, or NAME=FILE
  double tolerance = 1e-5;
};

struct Expectation {
  std::size_t output;  // index
  std::string file;
  Array array;
};

struct Verdict {
  const Expectation* expectation;
  Comparison comparison;
};

// Files without a name stand for the outputs in order.
std::vector<Expectation> read_expectations(const RunArguments& arguments, const std::vector<ValueInfo>& outputs) {
  std::vector<Expectation> expectations;
  std::size_t next = 0;
  std::vector<bool> is_given(outputs.size());
  for (const std::string& text : arguments.expects) {
    const auto [name, file] = split_name_and_value(text);
    const bool is_named = !file.empty();
    if (!is_named && next >= outputs.size())
      throw UsageError("--expect: more files than the program's " + std::to_string(outputs.size()) + " outputs");
    const std::size_t output = is_named ? find_value(outputs, name, "output", "--expect") : next++;
    if (is_given[output]) throw UsageError("--expect: output " + outputs[output].name + " is given twice");
    is_given[output] = true;
    const std::string& path = is_named ? file : text;
    expectations.push_back({output, path, read_npy(path)});
  }
  return expectations;
}

Json describe_outputs(const std::vector<OutputValue>& outputs) {
  Json list = Json::array();
  for (const OutputValue& output : outputs) {
    Json values = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(output.array.count(), 6); ++i) {
      const double value = element_as_double(output.array, i);
      if (is_floating(output.array.dtype))
        values.push_back(std::isfinite(value) ? Json(value)
                                              : Json(std::isnan(value) ? "nan"
                                                     : value > 0       ? "inf"
                                                                       : "-inf"));
      else
        values.push_back(element_as_integer(output.array, i));
    }
    list.push_back({{"name", printable(output.name)},
                    {"dtype", dtype_name(output.array.dtype)},
                    {"shape", output.array.sizes},
                    {"first_values", values}});
  }
  return list;
}

void print_json(const RunArguments& arguments, const Session& session, std::uint64_t done,
                const std::vector<OutputValue>& outputs, const std::vector<Verdict>& verdicts) {
  Json report = {{"model", arguments.program.model}, {"method", session.method()}, {"runs", done}};
  const RuntimeLibraries* libraries = session.libraries();
  report["standins"] = libraries != nullptr && libraries->has_standins();
  report["outputs"] = describe_outputs(outputs);
  Json comparisons = Json::array();
  for (const Verdict& verdict : verdicts) {
    const Comparison& comparison = verdict.comparison;
    comparisons.push_back(
        {{"output", outputs[verdict.expectation->output].name},
         {"expected", verdict.expectation->file},
         {"matches", comparison.matches},
         {"max_error", std::isfinite(comparison.max_error) ? Json(comparison.max_error) : Json(nullptr)},
         {"tolerance", arguments.tolerance},
         {"reason", comparison.reason}});
  }
  report["comparisons"] = comparisons;
  print(json_text(report));
}

void print_text(const RunArguments& arguments, const Session& session, std::uint64_t done,
                const std::vector<OutputValue>& outputs, const std::vector<Verdict>& verdicts) {
  std::string text = arguments.program.model + ": " + session.method() + " ran " + std::to_string(done) +
                     (done == 1 ? " time\n" : " times\n");
  std::vector<std::vector<std::string>> rows;
  for (const OutputValue& output : outputs)
    rows.push_back(
        {printable(output.name), describe(output.array.dtype, output.array.sizes), first_values(output.array)});
  text += aligned(rows);
  rows.clear();
  for (const Verdict& verdict : verdicts) {
    char error[40];
    std::snprintf(error, sizeof error, "max error %.3g", verdict.comparison.max_error);
    rows.push_back({verdict.comparison.matches ? coloured("PASS", Colour::kGreen) : coloured("FAIL", Colour::kRed),
                    printable(outputs[verdict.expectation->output].name), error, verdict.comparison.reason});
  }
  text += aligned(rows);
  if (!verdicts.empty() && verdicts.size() < outputs.size())
    text +=
        "  " + std::to_string(verdicts.size()) + " of " + std::to_string(outputs.size()) + " outputs were compared\n";
  print(text);
}

void write_outputs(const std::string& folder, const std::vector<OutputValue>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure("--output-dir: " + folder + " cannot be made: " + error.message());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    write_npy(folder + "/output" + std::to_string(i) + ".npy", outputs[i].array);
}

// Returns how many of `runs` were done before an interrupt.
std::uint64_t run_times(Session& session, std::uint64_t runs, const char* label) {
  Progress progress(label, runs);
  for (std::uint64_t i = 0; i < runs; ++i) {
    if (is_interrupted()) return i;
    session.execute();
    progress.advance(i + 1);
  }
  return runs;
}

int run(const RunArguments& arguments) {
  check_program_arguments(arguments.program);
  Session session(arguments.program);
  if (!session.uses_tensorrt())
    print_error("trtet: " + arguments.program.model + " uses no TensorRTBackend delegate; it runs without TensorRT");
  const std::vector<Expectation> expectations = read_expectations(arguments, session.outputs());
  session.bind_inputs(make_input_arrays(session.inputs(), arguments.program));
  watch_for_interrupt();
  run_times(session, arguments.warmup, "warm-up");
  const std::uint64_t done = run_times(session, arguments.runs, "run");
  if (done == 0) return kExitInterrupted;
  const std::vector<OutputValue> outputs = session.read_outputs();
  if (!arguments.output_dir.empty()) write_outputs(arguments.output_dir, outputs);
  std::vector<Verdict> verdicts;
  bool all_match = true;
  for (const Expectation& expectation : expectations) {
    verdicts.push_back(
        {&expectation, compare(outputs.at(expectation.output).array, expectation.array, arguments.tolerance)});
    all_match = all_match && verdicts.back().comparison.matches;
  }
  (arguments.program.wants_json ? print_json : print_text)(arguments, session, done, outputs, verdicts);
  if (done < arguments.runs) return kExitInterrupted;
  return all_match ? kExitOk : kExitFailure;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& command = *app.add_subcommand("run", "Run a program and show its outputs");
  command.footer(
      "Examples:\n"
      "  trtet run model.pte\n"
      "  trtet run model.pte --input x=x.npy --expect y.npy --tolerance 1e-3\n"
      "  trtet run model.pte --random 7 --runs 100 --output-dir outputs --option cuda_graph=true");
  add_program_arguments(command, arguments->program);
  command.add_option("--runs", arguments->runs, "How often to run (default 1)")
      ->check(positive_count())
      ->type_name("N");
  command.add_option("--warmup", arguments->warmup, "Runs before those (default 0)")
      ->check(natural_number(1000000000))
      ->type_name("N");
  command.add_option("--output-dir", arguments->output_dir, "Write output0.npy, output1.npy, ... into this folder")
      ->type_name("FOLDER");
  command
      .add_option("--expect", arguments->expects,
                  "Compare an output with an .npy file: FILE for the outputs in order, or NAME=FILE. Repeatable; "
                  "exit code 1 when one differs")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string& text) {
        const auto [name, file] = split_name_and_value(text);
        return CLI::ExistingFile(file.empty() ? name : file);
      })
      ->type_name("[NAME=]FILE.npy");
  command
      .add_option("--tolerance", arguments->tolerance,
                  "Elements match when |got - expected| <= T * max(1, |expected|) (default 1e-5)")
      ->check(tolerance_value())
      ->type_name("T");
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace trtet
