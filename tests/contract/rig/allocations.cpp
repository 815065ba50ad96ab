#include "allocations.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONTRACT_SANITIZED 1
#else
#define CONTRACT_SANITIZED 0
#endif

namespace contract {
namespace {

enum class Owner : uint8_t { kOther, kDelegate, kExecutorch, kLibrary };

struct Range {
  uintptr_t begin;
  uintptr_t end;
  Owner owner;
};

struct Watch {
  bool armed = false;
  bool busy = false;  // inside the classification, which must not count itself
  bool refuse = false;
  int count = 0;
  size_t bytes = 0;
};

thread_local Watch watch;
std::array<Range, 32> ranges;
size_t range_count = 0;

Owner owner_of(const char* path) {
  if (std::strstr(path, "libexecutorch_backend_tensorrt") != nullptr) {
    return Owner::kDelegate;
  }
  if (std::strstr(path, "libexecutorch.so") != nullptr) {
    return Owner::kExecutorch;
  }
  const bool is_library = std::strstr(path, "libcudart") != nullptr || std::strstr(path, "libnvinfer") != nullptr;
  return is_library ? Owner::kLibrary : Owner::kOther;
}

int note_ranges(dl_phdr_info* info, size_t, void*) {
  const Owner owner = owner_of(info->dlpi_name);
  for (int i = 0; owner != Owner::kOther && i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0 && range_count < ranges.size()) {
      const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      ranges[range_count++] = {begin, begin + header.p_memsz, owner};
    }
  }
  return 0;
}

_Unwind_Reason_Code find_owner(_Unwind_Context* context, void* found) {
  const uintptr_t address = _Unwind_GetIP(context);
  for (size_t i = 0; i < range_count; ++i) {
    if (address >= ranges[i].begin && address < ranges[i].end) {
      *static_cast<Owner*>(found) = ranges[i].owner;
      return _URC_END_OF_STACK;
    }
  }
  return _URC_NO_REASON;
}

// True when the allocation is the delegate's and must be refused.
bool note_allocation(size_t bytes) {
  if (!watch.armed || watch.busy) {
    return false;
  }
  watch.busy = true;
  Owner owner = Owner::kOther;
  _Unwind_Backtrace(&find_owner, &owner);
  watch.busy = false;
  if (owner != Owner::kDelegate && owner != Owner::kExecutorch) {
    return false;
  }
  ++watch.count;
  watch.bytes += bytes;
  return watch.refuse;
}

}  // namespace

AllocationWatch::AllocationWatch(Mode mode) {
  range_count = 0;
  dl_iterate_phdr(&note_ranges, nullptr);
  Owner warm_up = Owner::kOther;
  _Unwind_Backtrace(&find_owner, &warm_up);  // its first use may allocate
  watch = {true, false, mode == Mode::kRefuse, 0, 0};
}

AllocationWatch::~AllocationWatch() { watch.armed = false; }

int AllocationWatch::count() const { return watch.count; }

size_t AllocationWatch::bytes() const { return watch.bytes; }

bool AllocationWatch::can_refuse() { return CONTRACT_SANITIZED == 0; }

}  // namespace contract

#if CONTRACT_SANITIZED

// Visible, or the sanitizer's library would keep its own empty one.
extern "C" __attribute__((visibility("default"))) void __sanitizer_malloc_hook(const volatile void*, size_t bytes) {
  (void)contract::note_allocation(bytes);
}

#else

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

__attribute__((visibility("default"))) void* malloc(size_t bytes) {
  if (contract::note_allocation(bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void* calloc(size_t count, size_t bytes) {
  if (contract::note_allocation(count * bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_calloc(count, bytes);
}

__attribute__((visibility("default"))) void* realloc(void* old, size_t bytes) {
  if (contract::note_allocation(bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_realloc(old, bytes);
}

__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t bytes) {
  if (contract::note_allocation(bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_memalign(alignment, bytes);
}

__attribute__((visibility("default"))) int posix_memalign(void** made, size_t alignment, size_t bytes) {
  if (contract::note_allocation(bytes)) {
    return ENOMEM;
  }
  *made = __libc_memalign(alignment, bytes);
  return *made == nullptr ? ENOMEM : 0;
}
}

#endif
