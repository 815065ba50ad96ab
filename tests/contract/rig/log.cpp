#include "log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>

#include <executorch/runtime/platform/platform.h>

namespace contract {
namespace {

// ExecuTorch formats into 256 bytes; a line that did not fit ends in '$' at this length.
constexpr size_t kCutLength = 255;

struct Sink {
  std::mutex mutex;
  int depth = 0;
  std::vector<LogLine> lines;
};

Sink& sink() {
  static Sink* const instance = new Sink;  // outlives every thread that may still log
  return *instance;
}

void emit(et_timestamp_t, et_pal_log_level_t level, const char*, const char*, size_t, const char* message,
          size_t length) {
  Sink& to = sink();
  const std::lock_guard<std::mutex> lock(to.mutex);
  if (to.depth > 0) {
    to.lines.push_back({static_cast<char>(level), std::string(message, length)});
  } else {
    std::fprintf(stderr, "%c %.*s\n", static_cast<char>(level), static_cast<int>(length), message);
  }
}

std::atomic<uint64_t> clock_read_count{0};

et_timestamp_t ticks() {
  ++clock_read_count;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<et_timestamp_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

const bool registered = executorch::runtime::register_pal(
    executorch::runtime::PalImpl::create(nullptr, nullptr, &ticks, nullptr, &emit, nullptr, nullptr, __FILE__));

bool holds_all(const LogLine& line, std::initializer_list<std::string_view> parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return line.text.find(part) != std::string::npos; });
}

}  // namespace

uint64_t clock_reads() { return clock_read_count; }

ScopedLog::ScopedLog() {
  const std::lock_guard<std::mutex> lock(sink().mutex);
  if (sink().depth++ == 0) {
    sink().lines.clear();
  }
}

ScopedLog::~ScopedLog() {
  const std::lock_guard<std::mutex> lock(sink().mutex);
  --sink().depth;
}

std::vector<LogLine> ScopedLog::lines() const {
  const std::lock_guard<std::mutex> lock(sink().mutex);
  return sink().lines;
}

int ScopedLog::count(std::initializer_list<std::string_view> parts) const {
  const std::vector<LogLine> all = lines();
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [&](const LogLine& line) { return holds_all(line, parts); }));
}

testing::AssertionResult ScopedLog::has(std::initializer_list<std::string_view> parts) const {
  if (!registered) {
    return testing::AssertionFailure() << "the log function could not be replaced";
  }
  if (count(parts) > 0) {
    return testing::AssertionSuccess();
  }
  auto failure = testing::AssertionFailure() << "no log line holds all of:";
  for (const std::string_view part : parts) {
    failure << " '" << part << "'";
  }
  return failure << "; logged:\n" << text();
}

testing::AssertionResult ScopedLog::nothing_cut() const {
  for (const LogLine& line : lines()) {
    if (line.text.size() >= kCutLength && line.text.back() == '$') {
      return testing::AssertionFailure() << "cut by ExecuTorch's log: " << line.text;
    }
  }
  return testing::AssertionSuccess();
}

std::string ScopedLog::text() const {
  std::string joined;
  for (const LogLine& line : lines()) {
    joined += std::string(1, line.level) + " " + line.text + "\n";
  }
  return joined;
}

void ScopedLog::clear() {
  const std::lock_guard<std::mutex> lock(sink().mutex);
  sink().lines.clear();
}

}  // namespace contract
