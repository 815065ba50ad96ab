// ExecuTorch's log, sent to stderr by the tool's rules.
#pragma once

#include <string>
#include <vector>

namespace trtet {

// From now on error lines of ExecuTorch and its delegates go to stderr as "E file:line] message";
// informational ones only when `is_verbose`. Call once, before anything is loaded.
void route_executorch_log(bool is_verbose);

// While it lives, error lines logged on this thread are kept here and not printed. Nests.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  // The messages so far, without file and line; forgets them.
  std::vector<std::string> take();

 private:
  std::vector<std::string> messages_;
  std::vector<std::string>* outer_;
};

}  // namespace trtet
