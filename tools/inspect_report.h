// The inspector: bytes in, a JSON report out, and that report as text. Runs nothing, trusts nothing.
#pragma once

#include <string>
#include <string_view>

#include "common/json.h"

namespace trtet {

// `name` is repeated in the report. Bytes aligned to 16. Time and memory are bounded by the size of the bytes.
// Keys: file, kind (program, blob, plan, unknown), size_bytes, then by kind; problems is a list of {where, what},
// empty when ExecuTorch and the delegate would take everything. Throws std::bad_alloc only.
Json inspect_bytes(std::string_view bytes, const std::string& name);

// For people.
std::string render_report(const Json& report);

}  // namespace trtet
