// What goes into a method: files, random values or ones; and numbers that are no tensors.
#pragma once

#include <executorch/runtime/core/evalue.h>

#include <vector>

#include "common/arguments.h"
#include "common/array.h"
#include "common/value_info.h"

namespace trtet {

// One array per input: its .npy file, random values, or ones; zeros for a cache. Throws UsageError for an input that
// is not there or given twice, Failure for a file that does not fit.
std::vector<Array> make_input_arrays(const std::vector<ValueInfo>& inputs, const ProgramArguments& arguments);

// The dtype an input has as an array: its own, or that of its number.
ScalarType array_dtype(const ValueInfo& info);

// A number as ExecuTorch passes it, from an array of one element.
executorch::runtime::EValue scalar_value(executorch::runtime::Tag tag, const Array& array);

// A 0-d array of an int, a bool or a double. Throws Failure for anything else.
Array scalar_array(const executorch::runtime::EValue& value);

}  // namespace trtet
