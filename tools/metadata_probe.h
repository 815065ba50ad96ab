// All the delegate's complaints about one metadata document that it refuses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blob_findings.h"

namespace trtet {

// `first` is what the delegate said about the document as it is. A document that is JSON is then taken apart: each
// part the delegate refuses is reported in its words and replaced by a sound one, until nothing is refused.
std::vector<std::string> find_metadata_problems(std::string_view json, const std::vector<std::string>& first,
                                                ProbeBudget& budget);

}  // namespace trtet
