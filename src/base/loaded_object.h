#pragma once

#include <cstddef>

namespace executorch_backend_tensorrt {

/// Path of a file in this process.
struct ObjectPath {
  char text[160]; ///< the end of the path when it is longer
};

/// The path of the library or program that holds `address`, "(unknown)" when there is none. Reads
/// the loader's list (dl_iterate_phdr): dladdr would bind the library to GLIBC_2.34.
ObjectPath find_object_of(const void* address);

} // namespace executorch_backend_tensorrt
