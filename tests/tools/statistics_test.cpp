#include "common/statistics.h"

#include <gtest/gtest.h>

#include <numeric>

namespace trtet {
namespace {

TEST(Summarise, NearestRank) {
  std::vector<double> samples(100);
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  const LatencySummary summary = summarise(samples);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.median, 50);
  EXPECT_EQ(summary.p90, 90);
  EXPECT_EQ(summary.p99, 99);
  EXPECT_EQ(summary.max, 100);
  EXPECT_EQ(summary.mean, 50.5);
}

TEST(Summarise, OneSample) {
  const LatencySummary summary = summarise({7});
  for (const double value : {summary.min, summary.median, summary.p90, summary.p99, summary.max}) EXPECT_EQ(value, 7);
}

TEST(Histogram, HoldsEverySampleOnce) {
  std::vector<double> samples(1000);
  std::iota(samples.begin(), samples.end(), 0.0);
  samples.push_back(1e6);
  const auto bins = make_histogram(samples);
  ASSERT_EQ(bins.size(), 11U);
  std::size_t total = 0;
  for (const HistogramBin& bin : bins) total += bin.count;
  EXPECT_EQ(total, samples.size());
  EXPECT_EQ(bins.front().from, 0);
  EXPECT_EQ(bins.back().to, 1e6);
  EXPECT_EQ(bins[3].to, bins[4].from);
}

TEST(Histogram, EqualSamplesAreOneBin) {
  const auto bins = make_histogram({5, 5, 5});
  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].count, 3U);
}

TEST(ReadableTime, ThreeDigits) {
  EXPECT_EQ(readable_time(0.5), "0.50 us");
  EXPECT_EQ(readable_time(12.34), "12.3 us");
  EXPECT_EQ(readable_time(999), "999 us");
  EXPECT_EQ(readable_time(1234), "1.23 ms");
  EXPECT_EQ(readable_time(2.5e6), "2.50 s");
}

}  // namespace
}  // namespace trtet
