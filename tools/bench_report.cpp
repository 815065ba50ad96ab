#include "bench_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "common/failure.h"
#include "common/file.h"
#include "common/json.h"
#include "common/statistics.h"
#include "common/terminal.h"

namespace trtet {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kBarWidth = 40;

double median_of(const Phase& phase) { return phase.microseconds.empty() ? 0 : summarise(phase.microseconds).median; }

double runs_per_second(const LatencySummary& latency) { return latency.mean > 0 ? 1e6 / latency.mean : 0; }

std::string fixed(double value, int digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string histogram_text(const std::vector<double>& samples) {
  const std::vector<HistogramBin> bins = make_histogram(samples);
  std::size_t most = 1;
  for (const HistogramBin& bin : bins) most = std::max(most, bin.count);
  Rows rows;
  for (const HistogramBin& bin : bins) {
    // A bin that holds anything shows at least one mark.
    const std::size_t marks = bin.count == 0 ? 0 : std::max<std::size_t>(1, bin.count * kBarWidth / most);
    rows.push_back(
        {readable_time(bin.from) + " - " + readable_time(bin.to), std::to_string(bin.count), std::string(marks, '#')});
  }
  return aligned(rows);
}

std::string phases_text(const BenchReport& report, double median_us) {
  Rows rows;
  for (const Phase& phase : report.phases) {
    const double phase_us = median_of(phase);
    rows.push_back(
        {phase.name, readable_time(phase_us), fixed(median_us > 0 ? 100 * phase_us / median_us : 0, 0) + " %"});
  }
  if (rows.empty()) return "";
  return "\nphases of the delegate, median of " + std::to_string(report.phases.front().microseconds.size()) +
         " traced runs, share of the median latency\n" + aligned(rows);
}

// Settings of the baseline that differ from this run's: the ratio then compares them too.
std::string differences(const Baseline& baseline, const BenchReport& report) {
  std::string text;
  const auto note = [&](bool is_same, const std::string& what) {
    if (!is_same) text += (text.empty() ? "" : ", ") + what;
  };
  note(baseline.method == report.method, "method " + printable(baseline.method));
  note(baseline.io == report.io, "--io " + printable(baseline.io));
  note(baseline.uses_cuda_graph == report.uses_cuda_graph,
       baseline.uses_cuda_graph ? "with --cuda-graph" : "without --cuda-graph");
  note(baseline.has_standins == report.has_standins, baseline.has_standins ? "on stand-ins" : "not on stand-ins");
  return text;
}

std::string baseline_text(const BenchReport& report, double median_us) {
  const Baseline& baseline = *report.baseline;
  const double ratio = median_us / baseline.median_us;
  std::string text = "\nbaseline " + printable(baseline.file, 4096) + ": " + fixed(ratio, 2) + " times its median (" +
                     readable_time(median_us) + " against " + readable_time(baseline.median_us) + ")\n";
  const std::string differing = differences(baseline, report);
  if (!differing.empty()) text += "  it was measured otherwise: " + differing + "\n";
  return text;
}

}  // namespace

Baseline read_baseline(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  const Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  Baseline baseline;
  baseline.file = path;
  try {
    baseline.median_us = json.at("latency_us").at("median").get<double>();
    baseline.method = json.at("method").get<std::string>();
    baseline.io = json.at("io").get<std::string>();
    baseline.uses_cuda_graph = json.at("cuda_graph").get<bool>();
    baseline.has_standins = json.at("standins").get<bool>();
  } catch (const Json::exception&) {
    throw Failure("--baseline: " + path + " is not what trtet bench --json prints");
  }
  if (!(baseline.median_us > 0) || !std::isfinite(baseline.median_us))
    throw Failure("--baseline: " + path + " holds no measured median");
  return baseline;
}

std::string bench_text(const BenchReport& report) {
  std::string text = report.model + ": " + report.method + ", " + std::to_string(report.samples.size());
  if (report.was_interrupted) text += " of " + std::to_string(report.requested_runs);
  text += " runs after " + std::to_string(report.warmup) + " to warm up, I/O on the " + report.io +
          (report.uses_cuda_graph ? ", CUDA graphs" : "") + "\n";
  if (report.was_interrupted)
    text += coloured("interrupted: this is what was measured until then", Colour::kYellow) + "\n";
  if (report.samples.empty()) return text + "  no run was finished\n";
  const LatencySummary latency = summarise(report.samples);
  text += aligned(
      {{"min", "median", "p90", "p99", "max", "throughput"},
       {readable_time(latency.min), readable_time(latency.median), readable_time(latency.p90),
        readable_time(latency.p99), readable_time(latency.max), fixed(runs_per_second(latency), 0) + " runs/s"}});
  text += "\nlatency\n" + histogram_text(report.samples);
  text += phases_text(report, latency.median);
  if (report.baseline) text += baseline_text(report, latency.median);
  return text;
}

std::string bench_json(const BenchReport& report) {
  Json json = {{"model", report.model},
               {"method", report.method},
               {"io", report.io},
               {"cuda_graph", report.uses_cuda_graph},
               {"standins", report.has_standins},
               {"interrupted", report.was_interrupted},
               {"requested_runs", report.requested_runs},
               {"runs", report.samples.size()},
               {"warmup", report.warmup}};
  if (!report.samples.empty()) {
    const LatencySummary latency = summarise(report.samples);
    json["latency_us"] = {{"min", latency.min}, {"median", latency.median}, {"p90", latency.p90},
                          {"p99", latency.p99}, {"max", latency.max},       {"mean", latency.mean}};
    json["throughput_per_second"] = runs_per_second(latency);
    json["histogram"] = Json::array();
    for (const HistogramBin& bin : make_histogram(report.samples))
      json["histogram"].push_back({{"from_us", bin.from}, {"to_us", bin.to}, {"count", bin.count}});
    if (report.baseline)
      json["baseline"] = {{"file", report.baseline->file},
                          {"median_us", report.baseline->median_us},
                          {"ratio", latency.median / report.baseline->median_us},
                          {"differences", differences(*report.baseline, report)}};
  }
  json["phases"] = Json::array();
  for (const Phase& phase : report.phases)
    json["phases"].push_back(
        {{"name", printable(phase.name)}, {"median_us", median_of(phase)}, {"runs", phase.microseconds.size()}});
  return json_text(json);
}

}  // namespace trtet
