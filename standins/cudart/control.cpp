// The control interface of cuda_control.h.
#include "standins/cuda_control.h"

#include <cstring>
#include <mutex>
#include <vector>

#include "ledger.h"
#include "memory.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

// Never destroyed: calls can come while the process exits.
struct Recorded {
  std::mutex mutex;
  std::vector<StandinCudaCall> calls;
};
Recorded& recorded() {
  static Recorded* const instance = new Recorded();
  return *instance;
}

uint64_t count_of(const char* name) {
  if (name != nullptr && std::strcmp(name, "*") != 0) {
    const Fn fn = find_function(name);
    return fn == Fn::kCount ? 0 : g_counts[static_cast<size_t>(fn)].load();
  }
  uint64_t sum = 0;
  for (const auto& count : g_counts) {
    sum += count.load();
  }
  return sum;
}

void* view(const void* pointer, size_t bytes) {
  const ThreadState& thread = t_state;
  if (thread.running != nullptr) {
    const int index = thread.running->device;
    if (device(index).fault != 0) {
      return nullptr;
    }
    char* seen = view_for_device(pointer, bytes, index);
    if (seen == nullptr) {
      raise_fault(index, cudaErrorIllegalAddress);
    }
    return seen;
  }
  Block block;
  if (!find_block(pointer, &block) || block.bytes - (reinterpret_cast<uintptr_t>(pointer) - block.start) < bytes) {
    return nullptr;
  }
  return in_arena(pointer) ? arena_view(pointer) : const_cast<void*>(pointer);
}

}  // namespace

void record_call(Fn fn, const ThreadState& thread, void* stream, cudaError_t error) {
  if ((g_watch.load(std::memory_order_relaxed) & kRecording) == 0 || thread.library_depth > 0) {
    return;
  }
  const StandinCudaCall entry{kFunctions[static_cast<size_t>(fn)].name, thread_id(t_state), thread.device, stream,
                              static_cast<int>(error)};
  std::lock_guard<std::mutex> lock(recorded().mutex);
  recorded().calls.push_back(entry);
}

}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

int standin_cuda_set(const char* key, const char* value) {
  ensure_started();
  wait_all_streams();
  const bool known = set_setting(key, value);
  apply_settings();
  return known ? 0 : 1;
}

void standin_cuda_reset() {
  ensure_started();
  wait_all_streams();
  restore_default_settings();
  clear_failures();
  clear_misuse();
  for (int i = 0; i < kMaxDevices; ++i) {
    device(i).fault = 0;
    for (auto& peer : device(i).peers) {
      peer = false;
    }
  }
  watch(kFaulted, false);
  standin_cuda_reset_counts();
  restart_ledger();
  restart_peak_busy_streams();
  t_state.device = 0;
  t_state.last_error = cudaSuccess;
  read_environment();
  apply_settings();
}

void* standin_cuda_host_view(const void* pointer) { return view(pointer, 1); }
void* standin_cuda_host_range(const void* pointer, size_t bytes) { return view(pointer, bytes); }

void standin_cuda_enter_library() { ++t_state.library_depth; }
void standin_cuda_leave_library() { --t_state.library_depth; }

void standin_cuda_raise(int error) {
  const ThreadState& thread = t_state;
  raise_fault(thread.running != nullptr ? thread.running->device : thread.device, static_cast<cudaError_t>(error));
}

int standin_cuda_queue_fault(void* handle, int error) {
  ensure_started();
  Stream* stream = resolve_stream(static_cast<cudaStream_t>(handle));
  if (stream == nullptr) {
    return cudaErrorInvalidResourceHandle;
  }
  Operation operation;
  operation.kind = Operation::Kind::kFault;
  operation.value = error;
  stream->submit(std::move(operation));
  return cudaSuccess;
}

uint64_t standin_cuda_count(const char* name) { return count_of(name); }

void standin_cuda_reset_counts() {
  for (auto& count : g_counts) {
    count = 0;
  }
  std::lock_guard<std::mutex> lock(recorded().mutex);
  recorded().calls.clear();
}

int standin_cuda_fail(const char* name, uint64_t nth, int error) {
  ensure_started();
  return arm_failure(name, nth, error, false) ? 0 : 1;
}
void standin_cuda_clear_failures() { clear_failures(); }
uint64_t standin_cuda_injected_count() { return injected_count(); }
const char* standin_cuda_last_injected() { return last_injected(); }

size_t standin_cuda_calls(StandinCudaCall* out, size_t capacity) {
  std::lock_guard<std::mutex> lock(recorded().mutex);
  const std::vector<StandinCudaCall>& calls = recorded().calls;
  for (size_t i = 0; i < calls.size() && i < capacity; ++i) {
    out[i] = calls[i];
  }
  return calls.size();
}

void standin_cuda_ledger(int device_index, StandinCudaLedger* out) { sum_ledger(device_index, out); }

uint64_t standin_cuda_misuse_count() { return misuse_count(); }
const char* standin_cuda_misuse(size_t index) { return misuse_line(index); }

uint64_t standin_cuda_pending(void* handle) {
  if (handle == nullptr) {
    return pending_everywhere();
  }
  const Stream* stream = resolve_stream(static_cast<cudaStream_t>(handle));
  return stream == nullptr ? 0 : stream->pending();
}
void standin_cuda_drain() { wait_all_streams(); }
uint64_t standin_cuda_peak_busy_streams() { return peak_busy_streams(); }

}  // extern "C"
