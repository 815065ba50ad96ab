// One unit of stream work, which a graph can hold as well.
#ifndef STANDINS_CUDART_OPERATION_H_
#define STANDINS_CUDART_OPERATION_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace standins::cuda {

class Stream;
struct Event;
struct GraphExec;

struct Operation {
  enum class Kind { kNothing, kCopy, kSet, kHost, kCallback, kRecord, kFree, kGraph, kFault };
  Kind kind = Kind::kNothing;
  void* destination = nullptr;  // kCopy, kSet, kFree
  const void* source = nullptr;
  size_t bytes = 0;
  int value = 0;  // kSet: the byte; kFault: the error
  cudaHostFn_t host_function = nullptr;
  cudaStreamCallback_t callback = nullptr;
  void* user_data = nullptr;
  bool runs_after_fault = false;
  std::shared_ptr<void> object;  // kRecord: Event; kGraph: GraphExec; kCallback: none
};

// Runs on `stream`, on whatever thread; skipped when the stream's GPU has failed.
void run_operation(const Operation& operation, Stream& stream);

// Checks both ends of a copy as CUDA does when it is queued.
cudaError_t check_copy(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind);
// Pageable host memory takes part.
bool touches_pageable(const void* destination, const void* source);

// View of `bytes` bytes for work on `device_index`; null when they are not one live, reachable block.
char* view_for_device(const void* pointer, size_t bytes, int device_index);

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_OPERATION_H_
