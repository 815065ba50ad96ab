// What `bench` measured, as text and as JSON; an earlier JSON is a baseline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/phases.h"

namespace trtet {

struct Baseline {
  std::string file;
  double median_us = 0;
  std::string method, io;
  bool uses_cuda_graph = false, has_standins = false;
};

struct BenchReport {
  std::string model, method, io;
  bool uses_cuda_graph = false;
  bool has_standins = false;
  bool is_traced = false;  // the program has a delegate whose phases can be shown
  bool was_interrupted = false;
  std::uint64_t requested_runs = 0;
  std::uint64_t warmup = 0;
  std::vector<double> samples;  // microseconds, one per finished run
  std::vector<Phase> phases;
  std::optional<Baseline> baseline;
};

// Throws Failure when the file is not what `bench --json` printed, or measured nothing.
Baseline read_baseline(const std::string& path);

std::string bench_text(const BenchReport& report);
std::string bench_json(const BenchReport& report);

}  // namespace trtet
