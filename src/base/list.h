#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace executorch_backend_tensorrt {

/// A growable array on malloc. Owns its elements; throws std::bad_alloc and nothing else.
/// Used instead of std::vector, whose growth binds the library to GLIBCXX_3.4.29 from g++ 11 on.
template <typename T>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  List(List&& other) noexcept { swap(other); }
  List& operator=(List&& other) noexcept {
    swap(other);
    return *this;
  }
  ~List() {
    clear();
    std::free(items_);
  }

  /// Removes the elements and keeps the room.
  void clear() {
    for (std::size_t i = 0; i < count_; ++i) {
      items_[i].~T();
    }
    count_ = 0;
  }

  /// Makes room for `count` elements in all; pointers to elements stay valid up to that count.
  void reserve(std::size_t count) {
    if (count <= capacity_) {
      return;
    }
    T* grown = count > static_cast<std::size_t>(-1) / sizeof(T)
        ? nullptr
        : static_cast<T*>(std::malloc(count * sizeof(T)));
    if (grown == nullptr) {
      throw std::bad_alloc();
    }
    for (std::size_t i = 0; i < count_; ++i) {
      new (grown + i) T(std::move(items_[i]));
      items_[i].~T();
    }
    std::free(items_);
    items_ = grown;
    capacity_ = count;
  }

  T& push(T item) {
    if (count_ == capacity_) {
      reserve(capacity_ == 0 ? 8 : capacity_ * 2);
    }
    return *new (items_ + count_++) T(std::move(item));
  }

  void swap(List& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(count_, other.count_);
    std::swap(capacity_, other.capacity_);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* data() { return items_; }
  const T* data() const { return items_; }
  T* begin() { return items_; }
  T* end() { return items_ + count_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + count_; }

 private:
  T* items_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace executorch_backend_tensorrt
