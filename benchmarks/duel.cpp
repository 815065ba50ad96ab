#include "duel.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace benchmarks {
namespace {

double time_us(const std::function<void()>& call, int batch) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < batch; ++i) call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / batch;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Duel run_duel(const std::function<void()>& ours, const std::function<void()>& limit, int rounds, int batch) {
  time_us(ours, batch);
  time_us(limit, batch);
  std::vector<double> our_times, limit_times;
  for (int i = 0; i < rounds; ++i) {
    if (i % 2 == 0) {
      our_times.push_back(time_us(ours, batch));
      limit_times.push_back(time_us(limit, batch));
    } else {
      limit_times.push_back(time_us(limit, batch));
      our_times.push_back(time_us(ours, batch));
    }
  }
  return {median(our_times), median(limit_times)};
}

nlohmann::json row(const std::string& name, const Duel& duel) {
  return {{"name", name},           {"ours", duel.ours_us}, {"peer", nullptr},
          {"limit", duel.limit_us}, {"unit", "us"},         {"ratio", duel.ours_us / duel.limit_us}};
}

}  // namespace benchmarks
