#include "operation.h"

#include <cstring>

#include "event.h"
#include "graph.h"
#include "memory.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

// View for a copy engine: it reaches every GPU's memory and all host memory.
char* view_for_copy(const void* pointer, size_t bytes) {
  if (!in_arena(pointer)) {
    return static_cast<char*>(const_cast<void*>(pointer));
  }
  Block block;
  if (!find_block(pointer, &block) || block.bytes - (reinterpret_cast<uintptr_t>(pointer) - block.start) < bytes) {
    report_misuse("a copy of %zu bytes touched device memory at %p that was freed meanwhile", bytes, pointer);
    return nullptr;
  }
  return arena_view(pointer);
}

void fail_address(const Stream& stream) { raise_fault(stream.device, cudaErrorIllegalAddress); }

void run_copy(const Operation& operation, const Stream& stream) {
  char* destination = view_for_copy(operation.destination, operation.bytes);
  const char* source = view_for_copy(operation.source, operation.bytes);
  if (destination == nullptr || source == nullptr) {
    fail_address(stream);
    return;
  }
  std::memmove(destination, source, operation.bytes);
}

void run_host(const Operation& operation) {
  const bool outer = t_state.in_host_function;
  t_state.in_host_function = true;
  operation.host_function(operation.user_data);
  t_state.in_host_function = outer;
}

void run_callback(const Operation& operation, cudaError_t fault) {
  const bool outer = t_state.in_host_function;
  t_state.in_host_function = true;
  operation.callback(static_cast<cudaStream_t>(const_cast<void*>(operation.source)), fault, operation.user_data);
  t_state.in_host_function = outer;
}

void run_kind(const Operation& operation, Stream& stream, cudaError_t fault) {
  switch (operation.kind) {
    case Operation::Kind::kNothing:
      return;
    case Operation::Kind::kCopy:
      return run_copy(operation, stream);
    case Operation::Kind::kSet: {
      char* destination = view_for_copy(operation.destination, operation.bytes);
      if (destination == nullptr) {
        return fail_address(stream);
      }
      std::memset(destination, operation.value, operation.bytes);
      return;
    }
    case Operation::Kind::kHost:
      return run_host(operation);
    case Operation::Kind::kCallback:
      return run_callback(operation, fault);
    case Operation::Kind::kRecord: {
      Event& event = *static_cast<Event*>(operation.object.get());
      std::lock_guard<std::mutex> lock(event.mutex);
      event.time = std::chrono::steady_clock::now();
      return;
    }
    case Operation::Kind::kFree:
      release(operation.destination, Place::kDevice);
      return;
    case Operation::Kind::kGraph:
      for (const Operation& step : static_cast<GraphExec*>(operation.object.get())->operations) {
        run_operation(step, stream);
      }
      return;
    case Operation::Kind::kFault:
      raise_fault(stream.device, static_cast<cudaError_t>(operation.value));
      return;
  }
}

}  // namespace

void run_operation(const Operation& operation, Stream& stream) {
  const auto fault = static_cast<cudaError_t>(device(stream.device).fault.load());
  const bool survives = operation.runs_after_fault || operation.kind == Operation::Kind::kRecord ||
                        operation.kind == Operation::Kind::kFree || operation.kind == Operation::Kind::kCallback ||
                        operation.kind == Operation::Kind::kGraph;
  if (fault != cudaSuccess && !survives) {
    return;
  }
  Stream* const outer = t_state.running;
  t_state.running = &stream;
  run_kind(operation, stream, fault);
  t_state.running = outer;
}

char* view_for_device(const void* pointer, size_t bytes, int device_index) {
  Block block;
  const bool device_memory = in_arena(pointer);
  if (!find_block(pointer, &block)) {
    if (!device_memory && settings().pageable_access) {
      return static_cast<char*>(const_cast<void*>(pointer));
    }
    report_misuse("device %d touched %p, which is %s", device_index, pointer,
                  device_memory ? "freed or never allocated device memory" : "host memory it cannot use");
    return nullptr;
  }
  if (block.bytes - (reinterpret_cast<uintptr_t>(pointer) - block.start) < bytes) {
    report_misuse("device %d touched %zu bytes at %p, past the end of an allocation of %zu bytes", device_index, bytes,
                  pointer, block.bytes);
    return nullptr;
  }
  if (!reachable(block, device_index)) {
    report_misuse("device %d touched memory of device %d without peer access", device_index, block.device);
    return nullptr;
  }
  return device_memory ? arena_view(pointer) : static_cast<char*>(const_cast<void*>(pointer));
}

bool touches_pageable(const void* destination, const void* source) {
  Block block;
  return !find_block(destination, &block) || !find_block(source, &block);
}

cudaError_t check_copy(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  const void* const ends[] = {destination, source};
  const bool host_wanted[] = {kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost,
                              kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice};
  for (int i = 0; i < 2; ++i) {
    if (ends[i] == nullptr) {
      return cudaErrorInvalidValue;
    }
    const bool device_memory = in_arena(ends[i]);
    Block block;
    const bool known = find_block(ends[i], &block);
    if (known && block.bytes - (reinterpret_cast<uintptr_t>(ends[i]) - block.start) < bytes) {
      return cudaErrorInvalidValue;
    }
    if (device_memory && (!known || (kind != cudaMemcpyDefault && host_wanted[i]))) {
      return cudaErrorInvalidValue;
    }
    if (!known && kind != cudaMemcpyDefault && !host_wanted[i] && !settings().pageable_access) {
      return cudaErrorInvalidValue;
    }
  }
  return cudaSuccess;
}

}  // namespace standins::cuda
