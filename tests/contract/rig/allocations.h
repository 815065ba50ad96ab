// Counts, or refuses, heap allocations that the delegate causes on this thread.
#pragma once

#include <cstddef>

namespace contract {

// While it lives, allocations of this thread are laid to the first library on the stack that is the delegate,
// ExecuTorch's runtime, CUDA or TensorRT; those of the first two count. Covers malloc and operator new alike.
class AllocationWatch {
 public:
  enum class Mode { kCount, kRefuse };
  explicit AllocationWatch(Mode mode = Mode::kCount);
  ~AllocationWatch();
  AllocationWatch(const AllocationWatch&) = delete;
  AllocationWatch& operator=(const AllocationWatch&) = delete;

  int count() const;
  size_t bytes() const;
  // Refusing needs an allocator of our own, which the sanitizers do not leave room for.
  static bool can_refuse();
};

}  // namespace contract
