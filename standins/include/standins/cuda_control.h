// Control of the CUDA stand-in (libcudart.so.13 on host memory), for tests and for the TensorRT stand-in.
//
// Every setting has a key; `standin_cuda_set(key, value)` and the environment variable
// STANDIN_CUDA_<KEY IN CAPITALS> (read at the first CUDA call) mean the same:
//
//   key              values (default first)             effect
//   mode             threaded | lazy | immediate        threaded: a thread per stream, late by delay_us unless
//                                                       waited for; lazy: work runs when something waits for it,
//                                                       on the waiting thread; immediate: inline, for benchmarks
//   delay_us         2000                               see mode
//   devices          1 (0..16)                          number of GPUs; 0: every call answers cudaErrorNoDevice
//   driver           ok | none                          none: every call answers cudaErrorInsufficientDriver
//   memory_bytes     8589934592                         memory of each GPU; what is above is out of memory
//   oom_size         0 (off)                            one device allocation of this size or more fails
//   oom_every        0 | 1                              every device allocation fails
//   pinned_oom       0 | 1                              every pinned or managed allocation fails
//   integrated       0 | 1                              GPU shares host memory; pageable pointers work on it
//   pageable_access  0 | 1                              pageable pointers work on the GPU (set by integrated)
//   pageable_copies  deferred | immediate               when cudaMemcpyAsync touches pageable memory
//   fail             NAME:N[=ERROR][,...]               the N-th call of NAME from now (or of any: *) fails with
//                                                       ERROR (999); N+ fails every call from the N-th on
//   fill             255 (0..255, -1 off)               byte that fresh device memory holds (255: NaN in floats)
//   on_misuse        print | abort | quiet              see standin_cuda_misuse
//   record           0 | 1                              keep a list of calls, see standin_cuda_calls
//   report           PATH                               at exit, write counts, ledger and misuse as JSON there
//                                                       (%p in PATH becomes the process id)
//
// Device memory cannot be touched by the program (no access rights); the stand-in has a second view of it.
// A call counts under its plain name, also when made through its _ptsz or _ptds alias. Injected failures
// of releases and waits come after their effect (CUDA reports earlier faults there), all others before it.
#ifndef STANDINS_CUDA_CONTROL_H_
#define STANDINS_CUDA_CONTROL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0 when the setting is known and well formed, else 1 and one line on stderr. Waits for all streams first.
int standin_cuda_set(const char* key, const char* value);
// Settings, counts, failures, recorded calls, misuse, sticky errors and peer access as at start. Live objects stay.
void standin_cuda_reset(void);

// Memory. A readable and writable view of `device_ptr`; host memory the GPU may use is its own view.
// Null when no such memory lives there. While stream work runs, null also when the stream's GPU cannot
// reach it, and the GPU then has a sticky cudaErrorIllegalAddress, as after a wrong kernel access.
void* standin_cuda_host_view(const void* device_ptr);
// The same for `bytes` bytes that must lie in one allocation.
void* standin_cuda_host_range(const void* device_ptr, size_t bytes);

// Calls made by another stand-in inside its own library are neither counted, recorded nor failed, and its
// host functions run also behind a fault. Nests, per thread.
void standin_cuda_enter_library(void);
void standin_cuda_leave_library(void);

// From inside stream work: the GPU of that stream has failed with `error` (a cudaError_t) from now on.
void standin_cuda_raise(int error);
// Queues such a failure behind the work on `stream`. 0 or a cudaError_t.
int standin_cuda_queue_fault(void* stream, int error);

// Counts since start or reset. Null or "*": all calls together.
uint64_t standin_cuda_count(const char* name);
void standin_cuda_reset_counts(void);
// The nth (1 = next) call of `name` (null or "*": any that can fail) from now answers `error`. Several may be armed.
// 0, or 1 when the name is unknown.
int standin_cuda_fail(const char* name, uint64_t nth, int error);
void standin_cuda_clear_failures(void);
// Failures injected since start or reset, and the name of the last call that was made to fail ("" if none).
uint64_t standin_cuda_injected_count(void);
const char* standin_cuda_last_injected(void);

typedef struct StandinCudaCall {
  const char* name;  // static
  uint64_t thread;   // 1, 2, ... in order of first use
  int device;        // current device of that thread
  void* stream;      // as passed; null for calls without one
  int error;         // what was answered
} StandinCudaCall;
// Copies up to `capacity` recorded calls, oldest first; returns how many there are. Needs record=1.
size_t standin_cuda_calls(StandinCudaCall* out, size_t capacity);

typedef struct StandinCudaLedger {
  uint64_t allocations;  // live device allocations
  uint64_t bytes;        // live device bytes, as asked for
  uint64_t peak_bytes;   // most of them at a time since start or reset
  uint64_t host_blocks;  // live pinned, registered and managed blocks
  uint64_t streams;      // live streams that were created (the default ones are not)
  uint64_t events;
  uint64_t graphs;
  uint64_t graph_execs;
  uint64_t total_allocations;  // device allocations since start or reset
} StandinCudaLedger;
// device -1: sum over all. Graphs count on the device that was current at creation.
void standin_cuda_ledger(int device, StandinCudaLedger* out);

// Wrong use that CUDA would leave undefined or merely punish: each is one line, printed to stderr by default.
uint64_t standin_cuda_misuse_count(void);
// Line `index`, or null. Valid until reset.
const char* standin_cuda_misuse(size_t index);

// Streams: unfinished operations on one (null: on all), wait for all, and the most streams busy at a time.
uint64_t standin_cuda_pending(void* stream);
void standin_cuda_drain(void);
uint64_t standin_cuda_peak_busy_streams(void);

#ifdef __cplusplus
}  // extern "C"
namespace standins {
// Scope for enter_library / leave_library.
class CudaLibraryScope {
 public:
  CudaLibraryScope() { standin_cuda_enter_library(); }
  ~CudaLibraryScope() { standin_cuda_leave_library(); }
  CudaLibraryScope(const CudaLibraryScope&) = delete;
  CudaLibraryScope& operator=(const CudaLibraryScope&) = delete;
};
}  // namespace standins
#endif
#endif  // STANDINS_CUDA_CONTROL_H_
