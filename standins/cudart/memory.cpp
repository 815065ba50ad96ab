#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "ledger.h"
#include "state.h"

namespace standins::cuda {
namespace {

// Address space only; pages come on use. Tools like valgrind give less.
constexpr size_t kMostArenaBytes = size_t{64} << 30;
constexpr size_t kLeastArenaBytes = size_t{1} << 30;
constexpr size_t kAlignment = 512;
constexpr size_t kGuardBytes = 64;
constexpr unsigned char kGuardByte = 0xD7;
constexpr size_t kMostFilled = size_t{1} << 20;
constexpr size_t kHostAlignment = 4096;

struct Arena {
  int file = -1;
  size_t bytes = 0;
  char* program_view = nullptr;
  char* view = nullptr;
};

bool map_twice(Arena& arena, size_t bytes) {
  const int flags = MAP_SHARED | MAP_NORESERVE;
  void* program = mmap(nullptr, bytes, PROT_NONE, flags, arena.file, 0);
  if (program == MAP_FAILED) {
    return false;
  }
  void* view = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, arena.file, 0);
  if (view == MAP_FAILED) {
    munmap(program, bytes);
    return false;
  }
  // A core dump of holes helps nobody.
  madvise(program, bytes, MADV_DONTDUMP);
  madvise(view, bytes, MADV_DONTDUMP);
  arena.bytes = bytes;
  arena.program_view = static_cast<char*>(program);
  arena.view = static_cast<char*>(view);
  return true;
}

Arena map_arena() {
  Arena arena;
  arena.file = memfd_create("standin-cuda-device-memory", MFD_CLOEXEC);
  if (arena.file < 0 || ftruncate(arena.file, static_cast<off_t>(kMostArenaBytes)) != 0) {
    std::perror("CUDA stand-in: device memory");
    std::abort();
  }
  size_t bytes = kMostArenaBytes;
  while (!map_twice(arena, bytes)) {
    if (bytes == kLeastArenaBytes) {
      std::perror("CUDA stand-in: mapping device memory");
      std::abort();
    }
    bytes /= 2;
  }
  return arena;
}

// Never destroyed: calls can come while the process exits.
struct Memory {
  std::shared_mutex mutex;
  std::map<uintptr_t, Block> blocks;
  std::atomic<size_t> host_blocks{0};  // of these; with none, host pointers need no search
  Arena arena = map_arena();
  std::map<size_t, size_t> holes{{0, arena.bytes}};  // offset -> bytes
};
Memory& memory() {
  static Memory* const instance = new Memory();
  return *instance;
}

// Lowest hole that fits: a freed address comes back at once, for another GPU too, as it can under CUDA.
bool take_hole(Memory& m, size_t bytes, size_t* offset) {
  for (auto it = m.holes.begin(); it != m.holes.end(); ++it) {
    if (it->second < bytes) {
      continue;
    }
    *offset = it->first;
    const size_t left = it->second - bytes;
    m.holes.erase(it);
    if (left != 0) {
      m.holes.emplace(*offset + bytes, left);
    }
    return true;
  }
  return false;
}

void return_hole(Memory& m, size_t offset, size_t bytes) {
  auto next = m.holes.lower_bound(offset);
  if (next != m.holes.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      bytes += previous->second;
      m.holes.erase(previous);
    }
  }
  if (next != m.holes.end() && offset + bytes == next->first) {
    bytes += next->second;
    m.holes.erase(next);
  }
  m.holes.emplace(offset, bytes);
}

void count_bytes(DeviceLedger& l, size_t bytes) {
  ++l.allocations;
  ++l.total_allocations;
  const uint64_t now = l.bytes += bytes;
  uint64_t peak = l.peak_bytes;
  while (now > peak && !l.peak_bytes.compare_exchange_weak(peak, now)) {
  }
}

bool is_refused(int device, size_t bytes) {
  const Settings& s = settings();
  const int64_t largest = s.oom_size;
  return s.oom_every || (largest > 0 && bytes >= static_cast<size_t>(largest)) ||
         bytes > static_cast<size_t>(s.memory_bytes) ||
         ledger(device).bytes > static_cast<uint64_t>(s.memory_bytes) - bytes;
}

void check_guard(const Memory& m, const Block& block) {
  const char* guard = m.arena.view + (block.start - reinterpret_cast<uintptr_t>(m.arena.program_view)) + block.bytes;
  for (size_t i = 0; i < kGuardBytes; ++i) {
    if (static_cast<unsigned char>(guard[i]) != kGuardByte) {
      report_misuse("device %d: byte %zu behind an allocation of %zu bytes was overwritten", block.device, i,
                    block.bytes);
      return;
    }
  }
}

void give_back_device(Memory& m, const Block& block) {
  check_guard(m, block);
  const size_t offset = block.start - reinterpret_cast<uintptr_t>(m.arena.program_view);
  // Whole pages return to the system; the edges may belong to neighbours.
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t first = (offset + page - 1) / page * page;
  const size_t last = (offset + block.reserved) / page * page;
  if (last > first) {
    fallocate(m.arena.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
              static_cast<off_t>(last - first));
  }
  return_hole(m, offset, block.reserved);
  --ledger(block.device).allocations;
  ledger(block.device).bytes -= block.bytes;
}

}  // namespace

cudaError_t allocate_device(int device_index, size_t bytes, void** out) {
  *out = nullptr;
  if (bytes == 0) {
    return cudaSuccess;
  }
  if (is_refused(device_index, bytes)) {
    return cudaErrorMemoryAllocation;
  }
  Memory& m = memory();
  Block block;
  block.bytes = bytes;
  block.reserved = (bytes + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
  block.device = device_index;
  std::unique_lock<std::shared_mutex> lock(m.mutex);
  size_t offset = 0;
  if (!take_hole(m, block.reserved, &offset)) {
    return cudaErrorMemoryAllocation;
  }
  if (const int fill = settings().fill; fill >= 0) {
    std::memset(m.arena.view + offset, fill, std::min(bytes, kMostFilled));
  }
  std::memset(m.arena.view + offset + bytes, kGuardByte, kGuardBytes);
  *out = m.arena.program_view + offset;
  block.start = reinterpret_cast<uintptr_t>(*out);
  m.blocks.emplace(block.start, block);
  count_bytes(ledger(device_index), bytes);
  return cudaSuccess;
}

cudaError_t allocate_host(int device_index, size_t bytes, Place place, unsigned flags, void** out) {
  *out = nullptr;
  if (bytes == 0) {
    return place == Place::kManaged ? cudaErrorInvalidValue : cudaSuccess;
  }
  if (settings().pinned_oom) {
    return cudaErrorMemoryAllocation;
  }
  const size_t reserved = (bytes + kHostAlignment - 1) / kHostAlignment * kHostAlignment;
  void* start = reserved < bytes ? nullptr : std::aligned_alloc(kHostAlignment, reserved);
  if (start == nullptr) {
    return cudaErrorMemoryAllocation;
  }
  Memory& m = memory();
  std::unique_lock<std::shared_mutex> lock(m.mutex);
  const uintptr_t address = reinterpret_cast<uintptr_t>(start);
  m.blocks.emplace(address, Block{address, bytes, reserved, device_index, place, flags});
  ++m.host_blocks;
  ++ledger(device_index).host_blocks;
  *out = start;
  return cudaSuccess;
}

cudaError_t register_host(int device_index, void* start, size_t bytes, unsigned flags) {
  if (start == nullptr || bytes == 0) {
    return cudaErrorInvalidValue;
  }
  Memory& m = memory();
  std::unique_lock<std::shared_mutex> lock(m.mutex);
  const uintptr_t address = reinterpret_cast<uintptr_t>(start);
  const auto next = m.blocks.lower_bound(address);
  const bool overlaps_next = next != m.blocks.end() && next->first - address < bytes;
  const bool overlaps_previous =
      next != m.blocks.begin() && address - std::prev(next)->first < std::prev(next)->second.bytes;
  if (overlaps_next || overlaps_previous) {
    return cudaErrorHostMemoryAlreadyRegistered;
  }
  m.blocks.emplace(address, Block{address, bytes, bytes, device_index, Place::kRegistered, flags});
  ++m.host_blocks;
  ++ledger(device_index).host_blocks;
  return cudaSuccess;
}

cudaError_t release(void* pointer, Place place) {
  Memory& m = memory();
  std::unique_lock<std::shared_mutex> lock(m.mutex);
  const auto it = m.blocks.find(reinterpret_cast<uintptr_t>(pointer));
  const bool fits = it != m.blocks.end() &&
                    (it->second.place == place || (place == Place::kDevice && it->second.place == Place::kManaged));
  if (!fits) {
    lock.unlock();
    report_misuse("%p was freed, but no such %s begins there", pointer,
                  place == Place::kDevice ? "allocation" : "pinned block");
    return place == Place::kRegistered ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue;
  }
  const Block block = it->second;
  m.blocks.erase(it);
  if (block.place == Place::kDevice) {
    give_back_device(m, block);
    return cudaSuccess;
  }
  --ledger(block.device).host_blocks;
  --m.host_blocks;
  if (block.place != Place::kRegistered) {
    std::free(pointer);
  }
  return cudaSuccess;
}

bool find_block(const void* pointer, Block* out) {
  Memory& m = memory();
  if (m.host_blocks.load(std::memory_order_relaxed) == 0 && !in_arena(pointer)) {
    return false;
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  std::shared_lock<std::shared_mutex> lock(m.mutex);
  auto it = m.blocks.upper_bound(address);
  if (it == m.blocks.begin() || address - (--it)->first >= it->second.bytes) {
    return false;
  }
  *out = it->second;
  return true;
}

bool in_arena(const void* pointer) {
  const Arena& arena = memory().arena;
  return static_cast<size_t>(reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(arena.program_view)) <
         arena.bytes;
}

char* arena_view(const void* pointer) {
  const Arena& arena = memory().arena;
  return arena.view + (reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(arena.program_view));
}

bool reachable(const Block& block, int device_index) {
  return block.place != Place::kDevice || block.device == device_index ||
         device(device_index).peers[static_cast<size_t>(block.device)];
}

uint64_t device_bytes(int device_index) { return ledger(device_index).bytes; }

}  // namespace standins::cuda
