// Which inputs of a method the delegate updates in place.
#pragma once

#include <cstddef>
#include <vector>

#include "pte_reader.h"

namespace trtet {

struct AliasedInput {
  std::size_t input = 0;  // index among the method's inputs
  bool is_cache = false;  // kv_cache_update: starts at zero
};

// Method inputs that feed an aliased binding of a TensorRTBackend delegate directly: the caller's buffer is written,
// and must be in device memory. Blobs the delegate would refuse, or without names, give none.
std::vector<AliasedInput> find_aliased_inputs(const PteMethod& method);

}  // namespace trtet
