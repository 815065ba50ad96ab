// Reads what the delegate logs, through ExecuTorch's replaceable log function.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace contract {

struct LogLine {
  char level;  // 'D', 'I', 'E' or 'F'
  std::string text;
};

// Records every line of every thread while it lives. One at a time; the outermost wins otherwise.
class ScopedLog {
 public:
  ScopedLog();
  ~ScopedLog();
  ScopedLog(const ScopedLog&) = delete;
  ScopedLog& operator=(const ScopedLog&) = delete;

  std::vector<LogLine> lines() const;
  // How many lines hold every part.
  int count(std::initializer_list<std::string_view> parts) const;
  // Success when one line holds every part; the failure shows all lines.
  testing::AssertionResult has(std::initializer_list<std::string_view> parts) const;
  // Success when no line was cut by ExecuTorch's limit of 256 bytes.
  testing::AssertionResult nothing_cut() const;
  std::string text() const;
  void clear();
};

// How often ExecuTorch's clock was read; timing costs are seen there.
uint64_t clock_reads();

}  // namespace contract
