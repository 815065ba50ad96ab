// Device memory: one memfd mapped twice, without rights for the program and read-write for the stand-in;
// and the record of every block the GPU knows, host blocks included.
#ifndef STANDINS_CUDART_MEMORY_H_
#define STANDINS_CUDART_MEMORY_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace standins::cuda {

enum class Place : uint8_t { kDevice, kManaged, kPinned, kRegistered };

struct Block {
  uintptr_t start = 0;
  size_t bytes = 0;     // as asked for
  size_t reserved = 0;  // with guard
  int device = 0;       // owner, or current device at allocation
  Place place = Place::kDevice;
  unsigned flags = 0;
};

cudaError_t allocate_device(int device, size_t bytes, void** out);
// Page-aligned host memory: pinned or managed.
cudaError_t allocate_host(int device, size_t bytes, Place place, unsigned flags, void** out);
cudaError_t register_host(int device, void* start, size_t bytes, unsigned flags);
// Frees a block that starts at `pointer` and lives in `place` (device: managed too).
cudaError_t release(void* pointer, Place place);

// Block holding `pointer`.
bool find_block(const void* pointer, Block* out);
// Looks like device memory, live or not.
bool in_arena(const void* pointer);
// The stand-in's view of an address in the arena.
char* arena_view(const void* pointer);
// Memory of `block` can be used by work on `device_index`.
bool reachable(const Block& block, int device_index);
uint64_t device_bytes(int device_index);

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_MEMORY_H_
