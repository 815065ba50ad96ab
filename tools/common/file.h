// Whole files in and out, with the path in every message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trtet {

// Throws Failure when it cannot be opened or read, or is not a regular file.
std::vector<std::uint8_t> read_file(const std::string& path);

// Writes beside the target and moves into place: a failed write leaves what was there. Throws Failure.
void write_file(const std::string& path, std::string_view bytes);

// A file mapped read-only, unmapped by the destructor. Pages are read when touched.
class MappedFile {
 public:
  // Throws Failure when it cannot be opened or is not a regular file. An empty file maps to an empty view.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_bytes_; }

 private:
  const std::uint8_t* data_ = nullptr;  // owned
  std::size_t size_bytes_ = 0;
};

}  // namespace trtet
