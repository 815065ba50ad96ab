// ExecuTorch's log, sent to stderr by the tool's rules.
#pragma once

namespace trtet {

// From now on error lines of ExecuTorch and its delegates go to stderr as "E file:line] message";
// informational ones only when `is_verbose`. Call once, before anything is loaded.
void route_executorch_log(bool is_verbose);

}  // namespace trtet
