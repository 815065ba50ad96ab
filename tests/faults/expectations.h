// What must come of each failing call: the error, and what the log must name.
#pragma once

#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <executorch/runtime/core/error.h>

namespace faults {

enum class Phase { kInit, kExecute, kDestroy };
std::string name_of(Phase phase);

struct Expectation {
  // Answer of init or execute; Ok where the call can be done without.
  std::vector<executorch::runtime::Error> errors;
  std::string named;  // text in some line of the log; empty: nothing need be said
};

// Null when the table does not know the call, which fails the sweep.
const Expectation* expect(Phase phase, const std::string& call);

// The error that a failing CUDA call answers in the sweep.
cudaError_t plausible_error(const std::string& call);

}  // namespace faults
