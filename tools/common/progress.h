// A progress bar on stderr for work of more than a second; silent when stderr is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace trtet {

class Progress {
 public:
  Progress(std::string label, std::uint64_t total);
  ~Progress();  // removes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap: looks at the clock, draws at most ten times a second.
  void advance(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  std::uint64_t total_;
  bool is_terminal_;
  bool is_drawn_ = false;
  Clock::time_point next_draw_;
};

}  // namespace trtet
