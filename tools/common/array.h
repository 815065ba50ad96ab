// Host arrays in C order: what inputs, outputs and .npy files are made of.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstdint>
#include <string>
#include <vector>

namespace trtet {

using executorch::aten::ScalarType;

struct Array {
  ScalarType dtype = ScalarType::Float;
  std::vector<std::int32_t> sizes;  // empty: a 0-d array of one element
  std::vector<std::uint8_t> bytes;  // element_count(sizes) * element size

  std::size_t count() const;
};

// A dtype that .npy files and this tool share.
struct DtypeInfo {
  ScalarType type;
  const char* name;       // "float32"
  const char* npy_descr;  // "<f4"
  std::size_t size_bytes;
};

// Null when the dtype is not supported by the tool.
const DtypeInfo* find_dtype(ScalarType type);
const DtypeInfo* find_dtype_by_descr(const std::string& descr);

// "float32", or "dtype 17" for one the tool does not know.
std::string dtype_name(ScalarType type);

// "float32[2, 3]"
std::string describe(ScalarType type, const std::vector<std::int32_t>& sizes);

// Elements of a shape. Throws Failure when a size is negative or the product overflows.
std::size_t element_count(const std::vector<std::int32_t>& sizes);

// Zeroed. Throws Failure for a dtype the tool does not know.
Array make_array(ScalarType dtype, std::vector<std::int32_t> sizes);

void fill_ones(Array& array);

// The same values for the same seed on every machine: floats in [-1, 1), integers 0..3, bools 0 or 1.
void fill_random(Array& array, std::uint64_t seed);

double element_as_double(const Array& array, std::size_t index);
std::int64_t element_as_integer(const Array& array, std::size_t index);
bool is_floating(ScalarType type);

// "1, 2, 3, ... (24)"
std::string first_values(const Array& array, std::size_t limit = 6);

struct Comparison {
  bool matches = false;
  std::string reason;              // empty when it matches
  double max_error = 0;            // largest |got - want|; NaN when a NaN stands against a number
  std::size_t mismatch_count = 0;  // elements outside the tolerance
};

// Elements match when |got - want| <= tolerance * max(1, |want|); integers and bools use their exact difference.
// NaN matches NaN, an infinity itself. dtype and shape must be equal.
Comparison compare(const Array& got, const Array& want, double tolerance);

}  // namespace trtet
