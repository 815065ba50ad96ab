#include "common/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/failure.h"

namespace trtet {
namespace {

[[noreturn]] void fail(const std::string& path, const char* doing) {
  throw Failure(path + ": cannot " + doing + ": " + std::strerror(errno));
}

// Owns a descriptor until the end of the scope.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info{};
  if (file.fd < 0 || fstat(file.fd, &info) != 0) fail(path, "open");
  if (!S_ISREG(info.st_mode)) throw Failure(path + ": not a regular file");
  size_bytes_ = static_cast<std::size_t>(info.st_size);
  if (size_bytes_ == 0) return;
  void* mapping = mmap(nullptr, size_bytes_, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (mapping == MAP_FAILED) fail(path, "map");
  data_ = static_cast<const std::uint8_t*>(mapping);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_bytes_);
}

std::vector<std::uint8_t> read_file(const std::string& path) {
  const MappedFile file(path);
  return {file.data(), file.data() + file.size()};
}

void write_file(const std::string& path, std::string_view bytes) {
  std::string beside = path + ".XXXXXX";
  Descriptor file{mkostemp(beside.data(), O_CLOEXEC)};
  if (file.fd < 0) fail(path, "create");
  try {
    while (!bytes.empty()) {
      const ssize_t written = write(file.fd, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path, "write");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(file.fd, 0666 & ~mask) != 0 || rename(beside.c_str(), path.c_str()) != 0) fail(path, "write");
  } catch (...) {
    unlink(beside.c_str());
    throw;
  }
}

}  // namespace trtet
