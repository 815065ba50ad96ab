// Mutations that keep what surrounds the mutated part valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fuzz {

// libFuzzer's own mutation, or a small one of ours where the corpus is only replayed. Returns the new size.
size_t mutate_bytes(uint8_t* data, size_t size, size_t max_size);

// Writes a sound header, `metadata`, padding and sixteen engine bytes; returns the size, or `max_size` cut off.
size_t write_blob_around(const std::string& metadata, uint8_t* data, size_t max_size);

}  // namespace fuzz
