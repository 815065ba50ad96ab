// Mutations that keep what surrounds the mutated part valid. The same seed gives the same mutation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fuzz {

// libFuzzer's own mutation, or a small one of ours where the corpus is only replayed. Returns the new size.
size_t mutate_bytes(uint8_t* data, size_t size, size_t max_size);

// Changes some bytes, or replaces, removes, repeats or swaps whole JSON tokens.
void mutate_json(std::string& json, unsigned seed);

// The metadata of a blob as far as its header can be followed; "{}" without one.
std::string metadata_of(const uint8_t* data, size_t size);

// Writes a sound header, `metadata` and an engine, with the magic, gaps and engine that `seed` picks. Returns the size;
// cut off at `max_size`.
size_t write_blob_around(const std::string& metadata, unsigned seed, uint8_t* data, size_t max_size);

// Mutates the metadata or the beginning of the engine of a sound blob anywhere inside `data`; every other byte, and so
// each offset of the program around it, stays. False: there is none, nothing changed.
bool mutate_embedded_blob(uint8_t* data, size_t size, unsigned seed);

}  // namespace fuzz
