// Two ways of doing the same, timed in turns so that whatever else the machine does meets both.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace benchmarks {

struct Duel {
  double ours_us = 0;   // median time of one call
  double limit_us = 0;  // the same work by hand
};

// Runs `rounds` batches of `batch` calls of each, alternating which goes first; medians over the rounds.
Duel run_duel(const std::function<void()>& ours, const std::function<void()>& limit, int rounds, int batch);

// One row of the table and of bench.json; `ratio` is ours over limit.
nlohmann::json row(const std::string& name, const Duel& duel);

}  // namespace benchmarks
