#pragma once

#include <string>
#include <vector>

namespace unit {

/// Collects ExecuTorch's log lines of this process for its own lifetime. One at a time.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  const std::vector<std::string>& lines() const;
  /// All lines joined, for substring matches.
  std::string text() const;
  void clear();
};

}  // namespace unit
