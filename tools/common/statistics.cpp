#include "common/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace trtet {

double nearest_rank(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

LatencySummary summarise(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  LatencySummary summary;
  summary.min = samples.front();
  summary.median = nearest_rank(samples, 0.5);
  summary.p90 = nearest_rank(samples, 0.9);
  summary.p99 = nearest_rank(samples, 0.99);
  summary.max = samples.back();
  summary.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  return summary;
}

std::vector<HistogramBin> make_histogram(std::vector<double> samples, std::size_t bin_count) {
  std::sort(samples.begin(), samples.end());
  const double low = samples.front(), high = nearest_rank(samples, 0.99);
  if (!(high > low)) bin_count = 1;
  const double width = (high - low) / static_cast<double>(bin_count);
  std::vector<HistogramBin> bins(bin_count);
  for (std::size_t i = 0; i < bin_count; ++i)
    bins[i] = {low + width * static_cast<double>(i), low + width * static_cast<double>(i + 1), 0};
  HistogramBin above{high, samples.back(), 0};
  for (const double sample : samples) {
    if (sample > high) {
      ++above.count;
      continue;
    }
    const double at = width > 0 ? (sample - low) / width : 0;
    ++bins[std::min(static_cast<std::size_t>(at), bin_count - 1)].count;
  }
  if (above.count > 0) bins.push_back(above);
  return bins;
}

std::string readable_time(double microseconds) {
  const char* unit = "us";
  double value = microseconds;
  if (value >= 1e6) {
    value /= 1e6;
    unit = "s";
  } else if (value >= 1e3) {
    value /= 1e3;
    unit = "ms";
  }
  char text[32];
  std::snprintf(text, sizeof text, value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s", value, unit);
  return text;
}

}  // namespace trtet
