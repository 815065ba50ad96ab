// How a sub-command ends early. main() turns each into one line on stderr and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace trtet {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,       // the program, the comparison or the file failed
  kExitUsage = 2,         // the command line is wrong; nothing was run
  kExitInterrupted = 130  // SIGINT; what was measured so far was printed
};

// The program, file or comparison failed: exit code 1.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The command line is wrong: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace trtet
