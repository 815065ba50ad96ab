// Everything the delegate would refuse about one blob, not only the first thing.
//
// The judge is the delegate's own reader, which stops at its first complaint. It is asked again with the refused part
// replaced by a sound one, until it has none left; so there is no second set of rules. See docs/decisions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pte_reader.h"

namespace trtet {

// Bytes that may still be given to the reader: a hostile file must not make it work for minutes.
struct ProbeBudget {
  std::size_t bytes_left = std::size_t{256} << 20;
};

// Findings about header, metadata, engine and compile specs. `where` names the blob in each of them.
std::vector<Finding> find_blob_problems(std::string_view blob, const std::vector<PteCompileSpec>& specs,
                                        const std::string& where, ProbeBudget& budget);

// Findings about how a program calls its delegate: the number of arguments against the bindings.
std::vector<Finding> find_call_problems(const PteDelegate& delegate, const std::string& where);

}  // namespace trtet
