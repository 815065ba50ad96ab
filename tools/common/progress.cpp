#include "common/progress.h"

#include <unistd.h>

#include <cstdio>

namespace trtet {
namespace {

constexpr auto kQuietTime = std::chrono::seconds(1);
constexpr auto kRedrawTime = std::chrono::milliseconds(100);
constexpr std::size_t kBarWidth = 30;

}  // namespace

Progress::Progress(std::string label, std::uint64_t total)
    : label_(std::move(label)),
      total_(total),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      next_draw_(Clock::now() + kQuietTime) {}

Progress::~Progress() {
  if (is_drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::advance(std::uint64_t done) {
  if (!is_terminal_ || total_ == 0 || Clock::now() < next_draw_) return;
  next_draw_ = Clock::now() + kRedrawTime;
  is_drawn_ = true;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  std::fprintf(stderr, "\r\033[K%s [%s] %llu / %llu", label_.c_str(), bar.c_str(),
               static_cast<unsigned long long>(done), static_cast<unsigned long long>(total_));
  std::fflush(stderr);
}

}  // namespace trtet
