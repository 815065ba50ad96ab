// One program, used rightly, and the checks of a process without a test framework.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "rig/program.h"

namespace lifecycle {

// Prints what failed and ends the process with code 1, running no destructors.
void require(bool holds, const std::string& what);

contract::LoadRequest add_one_request(bool with_graph = false);
// Loads x + 1 over four floats; must succeed.
std::unique_ptr<contract::Program> load_add_one(bool with_graph = false);
// Runs it on host memory `times` times; the output must be right.
void run_add_one(contract::Program& program, int times = 1);

// The case named by the only argument.
using Cases = std::map<std::string, void (*)()>;
int run_case(const Cases& cases, int argc, char** argv);

}  // namespace lifecycle
