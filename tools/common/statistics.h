// Figures a person reads off many timings. All times in microseconds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trtet {

struct LatencySummary {
  double min = 0, median = 0, p90 = 0, p99 = 0, max = 0, mean = 0;
};

// `samples` must not be empty. Percentiles by nearest rank.
LatencySummary summarise(std::vector<double> samples);

// The value that `share` (0..1] of `sorted` do not pass. `sorted` must not be empty.
double nearest_rank(const std::vector<double>& sorted, double share);

struct HistogramBin {
  double from = 0, to = 0;  // [from, to), the last one closed
  std::size_t count = 0;
};

// `bin_count` equal bins from the least sample to the 99th percentile, and one more for what lies above it.
// A single bin when all samples are equal.
std::vector<HistogramBin> make_histogram(std::vector<double> samples, std::size_t bin_count = 10);

// "12.3 us", "4.56 ms", "1.20 s": three digits.
std::string readable_time(double microseconds);

}  // namespace trtet
