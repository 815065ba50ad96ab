// The stream a program is made to run on: none, one of ours, or one of a green context.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>

#include "common/runtime_libraries.h"

namespace trtet {

// A stream made current for delegates on this thread while it lives (ExecuTorch's caller-stream guard).
// Use on the thread that made it.
class CallerStream {
 public:
  virtual ~CallerStream() = default;
  CallerStream(const CallerStream&) = delete;
  CallerStream& operator=(const CallerStream&) = delete;

 protected:
  CallerStream() = default;
};

// An ordinary non-blocking stream on the current device. Throws Failure when it cannot be made.
std::unique_ptr<CallerStream> make_caller_stream(const RuntimeLibraries& libraries);

// A stream of a green context of at least `sm_count` multiprocessors of `device`.
// Throws Failure when none can be made, so that a passing run always means one was used.
std::unique_ptr<CallerStream> make_green_context_stream(const RuntimeLibraries& libraries, int device, int sm_count);

}  // namespace trtet
