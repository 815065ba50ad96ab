// What the metadata of a method's blobs says about its inputs and outputs.
#pragma once

#include <cstddef>
#include <string>
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

// A name for each value: the program's, else that of the binding it is, directly or behind a copy to or from the GPU;
// else empty.
std::vector<std::string> find_value_names(const PteMethod& method);

}  // namespace trtet
