// trtet bench: latency of a program, where it goes, and how it compares with an earlier measurement.
#include <chrono>
#include <memory>

#include "bench_report.h"
#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/input_arrays.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "common/session.h"
#include "common/terminal.h"

namespace trtet {
namespace {

constexpr std::uint64_t kMaxRuns = 10000000;
constexpr std::uint64_t kTracedRuns = 50;

struct BenchArguments {
  ProgramArguments program;
  std::uint64_t runs = 100;
  std::uint64_t warmup = 10;
  std::string io = "host";
  bool wants_cuda_graph = false;
  std::string baseline;
};

void refuse_device_io_of(const Session& session) {
  for (const ValueInfo& input : session.inputs())
    if (input.is_memory_planned && !input.is_on_device)
      throw Failure("--io device: the program copies input " + input.name +
                    " into host memory it planned itself; export it with MemoryPlanningPass(alloc_graph_input=False)");
  if (session.libraries() == nullptr) throw Failure("--io device: the program uses no GPU");
}

void bind(Session& session, const BenchArguments& arguments) {
  const bool on_device = arguments.io == "device";
  if (on_device) refuse_device_io_of(session);
  session.bind_inputs(make_input_arrays(session.inputs(), arguments.program),
                      on_device ? Residence::kDevice : Residence::kHost);
}

void warm_up(Session& session, std::uint64_t runs) {
  Progress progress("warm-up", runs);
  for (std::uint64_t i = 0; i < runs && !is_interrupted(); ++i) {
    session.execute();
    progress.advance(i + 1);
  }
}

std::vector<double> measure(Session& session, std::uint64_t runs) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> samples;
  samples.reserve(runs);
  Progress progress("run", runs);
  for (std::uint64_t i = 0; i < runs && !is_interrupted(); ++i) {
    const Clock::time_point start = Clock::now();
    session.execute();
    samples.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    progress.advance(i + 1);
  }
  return samples;
}

// A second load with a tracer, so that tracing does not weigh on the latencies.
std::vector<Phase> trace(const BenchArguments& arguments) {
  PhaseTracer tracer;
  Session session(arguments.program, &tracer);
  bind(session, arguments);
  warm_up(session, std::min<std::uint64_t>(arguments.warmup, 3));
  for (std::uint64_t i = 0; i < std::min(arguments.runs, kTracedRuns) && !is_interrupted(); ++i) {
    tracer.begin_run();
    session.execute();
  }
  return tracer.phases();
}

int bench(BenchArguments arguments) {
  if (arguments.wants_cuda_graph) arguments.program.options.emplace_back("cuda_graph", "true");
  check_program_arguments(arguments.program);
  BenchReport report;
  if (!arguments.baseline.empty()) report.baseline = read_baseline(arguments.baseline);
  report.model = arguments.program.model;
  report.io = arguments.io;
  report.uses_cuda_graph = arguments.wants_cuda_graph;
  report.requested_runs = arguments.runs;
  report.warmup = arguments.warmup;
  watch_for_interrupt();
  {
    Session session(arguments.program);
    const RuntimeLibraries* libraries = session.libraries();
    report.has_standins = libraries != nullptr && libraries->has_standins();
    report.method = session.method();
    report.is_traced = session.uses_tensorrt();
    bind(session, arguments);
    warm_up(session, arguments.warmup);
    report.samples = measure(session, arguments.runs);
  }
  if (report.is_traced && !is_interrupted()) report.phases = trace(arguments);
  report.was_interrupted = is_interrupted();
  print(arguments.program.wants_json ? bench_json(report) : bench_text(report));
  return report.was_interrupted ? kExitInterrupted : kExitOk;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App& command = *app.add_subcommand("bench", "Measure the latency of a program");
  command.footer(
      "Interrupting it prints what was measured so far, exit code 130.\n"
      "Examples:\n"
      "  trtet bench model.pte --runs 1000\n"
      "  trtet bench model.pte --json > before.json\n"
      "  trtet bench model.pte --cuda-graph --io device --baseline before.json");
  add_program_arguments(command, arguments->program);
  command.add_option("--runs", arguments->runs, "Measured runs (default 100)")
      ->check(positive_count(kMaxRuns))
      ->type_name("N");
  command.add_option("--warmup", arguments->warmup, "Runs before those (default 10)")
      ->check(natural_number(kMaxRuns))
      ->type_name("N");
  command.add_option("--io", arguments->io, "Where inputs and outputs live: host or device (default host)")
      ->check(CLI::IsMember({"host", "device"}))
      ->type_name("WHERE");
  add_single_flag(command, "--cuda-graph", arguments->wants_cuda_graph, "Replay launches as CUDA graphs");
  command.add_option("--baseline", arguments->baseline, "Compare with the --json output of an earlier run")
      ->check(CLI::ExistingFile)
      ->type_name("FILE.json");
  command.callback([arguments, &action] { action = [arguments] { return bench(*arguments); }; });
}

}  // namespace trtet
