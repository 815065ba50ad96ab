#pragma once

#include <cstddef>

namespace executorch_backend_tensorrt {

/// Path of a file in this process.
struct ObjectPath {
  char text[65]; ///< as much as a message holds: "..." and the end of a longer path
};

/// The path of the library or program that holds `address`, "(unknown)" when there is none. Reads
/// the loader's list (dl_iterate_phdr): dladdr would bind the library to GLIBC_2.34.
ObjectPath find_object_of(const void* address);

} // namespace executorch_backend_tensorrt
