// Reading and writing NumPy's .npy format: versions 1 to 3, little-endian, C order.
// No packaged library reads it in C++ (Debian 12 and Ubuntu 24.04 looked through), so this small one does, strictly.
#pragma once

#include <string>

#include "common/array.h"

namespace trtet {

// Throws Failure naming the file and what is wrong: magic, version, header, dtype, Fortran order, size.
// bfloat16 is read from raw pairs of bytes (`V2`), as the Python package ml_dtypes saves it.
Array read_npy(const std::string& path);

// Throws Failure when the file cannot be written.
void write_npy(const std::string& path, const Array& array);

}  // namespace trtet
