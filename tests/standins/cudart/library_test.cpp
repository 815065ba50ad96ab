// The built library itself: what it exports, under which names and versions, beside the real one.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

// Exported functions of a 64-bit ELF file with the version each carries.
class Library {
 public:
  explicit Library(const char* path) {
    const int file = open(path, O_RDONLY);
    struct stat status{};
    if (file < 0 || fstat(file, &status) != 0) {
      ADD_FAILURE() << "cannot open " << path;
      return;
    }
    size_ = static_cast<size_t>(status.st_size);
    bytes_ = static_cast<const char*>(mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0));
    close(file);
    read();
  }
  ~Library() { munmap(const_cast<char*>(bytes_), size_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  std::map<std::string, std::string> functions;
  std::string soname;

 private:
  void read() {
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes_);
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes_ + header->e_shoff);
    const Elf64_Shdr* symbols = nullptr;
    const Elf64_Half* versions = nullptr;
    std::map<int, std::string> names;
    for (int i = 0; i < header->e_shnum; ++i) {
      const Elf64_Shdr& section = sections[i];
      const char* strings = bytes_ + sections[section.sh_link].sh_offset;
      if (section.sh_type == SHT_DYNSYM) {
        symbols = &section;
      } else if (section.sh_type == SHT_GNU_versym) {
        versions = reinterpret_cast<const Elf64_Half*>(bytes_ + section.sh_offset);
      } else if (section.sh_type == SHT_GNU_verdef) {
        read_versions(section, strings, names);
      } else if (section.sh_type == SHT_DYNAMIC) {
        for (const auto* d = reinterpret_cast<const Elf64_Dyn*>(bytes_ + section.sh_offset); d->d_tag != DT_NULL; ++d) {
          soname = d->d_tag == DT_SONAME ? strings + d->d_un.d_val : soname;
        }
      }
    }
    if (symbols == nullptr || versions == nullptr) {
      ADD_FAILURE() << "no dynamic symbols";
      return;
    }
    const char* strings = bytes_ + sections[symbols->sh_link].sh_offset;
    const auto* table = reinterpret_cast<const Elf64_Sym*>(bytes_ + symbols->sh_offset);
    for (size_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
      if (table[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(table[i].st_info) == STT_FUNC) {
        functions[strings + table[i].st_name] = names[versions[i] & 0x7fff];
      }
    }
  }
  void read_versions(const Elf64_Shdr& section, const char* strings, std::map<int, std::string>& names) {
    const char* at = bytes_ + section.sh_offset;
    for (unsigned i = 0; i < section.sh_info; ++i) {
      const auto* version = reinterpret_cast<const Elf64_Verdef*>(at);
      const auto* name = reinterpret_cast<const Elf64_Verdaux*>(at + version->vd_aux);
      names[version->vd_ndx] = strings + name->vda_name;
      at += version->vd_next;
    }
  }
  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

TEST(Library, StandsInForEveryFunctionOfTheRealOne) {
  const Library real(REAL_LIBRARY);
  const Library standin(STANDIN_LIBRARY);
  ASSERT_GT(real.functions.size(), 300u);
  EXPECT_EQ(standin.soname, real.soname);
  for (const auto& [name, version] : real.functions) {
    const auto found = standin.functions.find(name);
    ASSERT_NE(found, standin.functions.end()) << name;
    EXPECT_EQ(found->second, version) << name;
  }
}

TEST(Library, ExportsNothingElseButItsControl) {
  const Library real(REAL_LIBRARY);
  const Library standin(STANDIN_LIBRARY);
  for (const auto& [name, version] : standin.functions) {
    EXPECT_TRUE(real.functions.count(name) == 1 || name.rfind("standin_cuda_", 0) == 0) << name;
    EXPECT_EQ(version, "libcudart.so.13") << name;
  }
}

}  // namespace
}  // namespace standins::cuda_tests
