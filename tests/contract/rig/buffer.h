// Caller-side memory of every kind a program can be run with.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace contract {

enum class Place { kPageable, kPinned, kManaged, kDevice };

constexpr Place kAllPlaces[] = {Place::kPageable, Place::kPinned, Place::kManaged, Place::kDevice};

std::string name_of(Place place);

// Owned memory of `bytes` bytes at `offset` bytes past an aligned address, on GPU `device`.
// Made and freed with that GPU current; the caller's current GPU is put back. Failures throw.
class Buffer {
 public:
  Buffer(Place place, size_t bytes, int device = 0, size_t offset = 0);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;

  void* data() const { return static_cast<char*>(base_) + offset_; }
  size_t bytes() const { return bytes_; }
  Place place() const { return place_; }

  void upload(const void* host_source, size_t bytes);
  void download(void* host_target, size_t bytes) const;

  template <typename T>
  void write(const std::vector<T>& values) {
    upload(values.data(), values.size() * sizeof(T));
  }
  template <typename T>
  std::vector<T> read(size_t count) const {
    std::vector<T> values(count);
    download(values.data(), count * sizeof(T));
    return values;
  }
  template <typename T>
  std::vector<T> read() const {
    return read<T>(bytes_ / sizeof(T));
  }

 private:
  Place place_;
  size_t bytes_;
  int device_;
  size_t offset_;
  void* base_ = nullptr;
};

// A buffer holding `values`.
template <typename T>
Buffer filled(Place place, const std::vector<T>& values, int device = 0, size_t offset = 0) {
  Buffer buffer(place, values.size() * sizeof(T), device, offset);
  buffer.write(values);
  return buffer;
}

}  // namespace contract
