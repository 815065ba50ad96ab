#include "base/loaded_object.h"

#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace executorch_backend_tensorrt {

namespace {

struct Search {
  std::uintptr_t address;
  ObjectPath* found;
};

void copy_end(ObjectPath& out, const char* path) {
  constexpr char kCut[] = "...";
  constexpr std::size_t kMost = sizeof(out.text) - 1;
  const std::size_t length = std::strlen(path);
  const bool is_cut = length > kMost;
  // The end tells more: it holds the file's name.
  const char* end = is_cut ? path + length - (kMost - std::strlen(kCut)) : path;
  std::snprintf(out.text, sizeof(out.text), "%s%s", is_cut ? kCut : "", end);
}

int visit(dl_phdr_info* info, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search->address >= begin &&
        search->address - begin < segment.p_memsz) {
      const bool is_program = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
      copy_end(*search->found, is_program ? "the program itself" : info->dlpi_name);
      return 1;
    }
  }
  return 0;
}

} // namespace

ObjectPath find_object_of(const void* address) {
  ObjectPath found;
  copy_end(found, "(unknown)");
  Search search{reinterpret_cast<std::uintptr_t>(address), &found};
  dl_iterate_phdr(visit, &search);
  return found;
}

} // namespace executorch_backend_tensorrt
