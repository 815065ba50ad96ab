// State of the process and of each thread, and the frame every simulated call runs in.
#ifndef STANDINS_CUDART_STATE_H_
#define STANDINS_CUDART_STATE_H_

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "functions.h"
#include "settings.h"

namespace standins::cuda {

class Stream;

struct ThreadState {
  int device;              // current device
  bool has_context;        // a call that opens a GPU's context was made
  cudaError_t last_error;  // what cudaGetLastError answers
  int library_depth;       // > 0 inside another stand-in
  int capture_mode;        // cudaStreamCaptureMode, for unsafe calls
  uint64_t id;             // 1, 2, ... in order of first use
  Stream* running;         // stream whose operation this thread is executing
  bool in_host_function;
  void* green_context;  // current green context, if any
  Stream* per_thread[kMaxDevices];
};
// Trivial and initial-exec: a plain load, no wrapper call.
extern __thread ThreadState t_state __attribute__((tls_model("initial-exec")));

struct Device {
  std::atomic<int> fault{0};                           // sticky cudaError_t
  std::array<std::atomic<bool>, kMaxDevices> peers{};  // this device may reach that one
};
Device& device(int index);
// The GPU fails from now on; the first error stays.
void raise_fault(int device_index, cudaError_t error);

// Reasons to leave the fast path; zero in an ordinary run.
enum Watch : uint32_t {
  kUnstarted = 1,
  kNoDriver = 2,
  kNoDevice = 4,
  kFailuresArmed = 8,
  kRecording = 16,
  kFaulted = 32,
  kCapturing = 64,
  kExiting = 128,
  kForked = 256,
  kHostFunctions = 512,  // threaded or lazy mode: calls from host functions are looked for
};
extern std::atomic<uint32_t> g_watch;
inline void watch(Watch reason, bool on) {
  if (on) {
    g_watch.fetch_or(reason);
  } else {
    g_watch.fetch_and(~static_cast<uint32_t>(reason));
  }
}

// Reads the environment once; safe to call from anywhere.
void ensure_started();
uint64_t thread_id(ThreadState& thread);

void report_misuse(const char* format, ...) __attribute__((format(printf, 1, 2)));
uint64_t misuse_count();
const char* misuse_line(size_t index);
void clear_misuse();

extern std::array<std::atomic<uint64_t>, static_cast<size_t>(Fn::kCount)> g_counts;

struct Verdict {
  cudaError_t error;  // cudaSuccess: the call runs as usual
  bool run_body;
};
Verdict judge(Fn fn, ThreadState& thread);
void record_call(Fn fn, const ThreadState& thread, void* stream, cudaError_t error);

inline cudaError_t remember(ThreadState& thread, cudaError_t error) {
  if (__builtin_expect(error != cudaSuccess && error != cudaErrorNotReady, 0)) {
    thread.last_error = error;
  }
  return error;
}

// Calls that a thread can make before it has a context of any GPU.
constexpr bool opens_context(Fn fn) {
  return fn == Fn::cudaSetDevice ||
         (fn != Fn::cudaPointerGetAttributes && (traits_of(fn) & (kPure | kIgnoresFault)) == 0);
}

// Runs `body` as the simulated call `fn`: counted, refused or failed as the settings say.
template <class Body>
inline cudaError_t call(Fn fn, void* stream, Body&& body) {
  ThreadState& thread = t_state;
  if (opens_context(fn)) {
    thread.has_context = true;
  }
  if (thread.library_depth == 0) {
    g_counts[static_cast<size_t>(fn)].fetch_add(1, std::memory_order_relaxed);
  }
  if (__builtin_expect(g_watch.load(std::memory_order_relaxed) == 0, 1)) {
    return remember(thread, body());
  }
  const Verdict verdict = judge(fn, thread);
  cudaError_t error = verdict.run_body ? body() : cudaSuccess;
  if (verdict.error != cudaSuccess) {
    error = verdict.error;
  }
  record_call(fn, thread, stream, error);
  return remember(thread, error);
}
template <class Body>
inline cudaError_t call(Fn fn, Body&& body) {
  return call(fn, nullptr, static_cast<Body&&>(body));
}

// Failures armed by tests.
bool arm_failure(const char* name, uint64_t nth, int error, bool and_all_after);
void clear_failures();
uint64_t injected_count();
const char* last_injected();

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_STATE_H_
