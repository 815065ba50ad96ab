#include "state.h"

#include <pthread.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "graph.h"
#include "ledger.h"

namespace standins::cuda {

__thread ThreadState t_state __attribute__((tls_model("initial-exec")));
std::atomic<uint32_t> g_watch{kUnstarted};
std::array<std::atomic<uint64_t>, static_cast<size_t>(Fn::kCount)> g_counts{};

const FunctionInfo kFunctions[static_cast<int>(Fn::kCount)] = {
#define X(name, traits) {#name, static_cast<uint8_t>(traits)},
    STANDIN_CUDA_FUNCTIONS(X)
#undef X
};

Fn find_function(const char* name) {
  int index = 0;
  while (index < static_cast<int>(Fn::kCount) && std::strcmp(kFunctions[index].name, name) != 0) {
    ++index;
  }
  return static_cast<Fn>(index);
}

namespace {

struct Failure {
  bool any;
  Fn fn;
  uint64_t remaining;  // 1: the next such call
  cudaError_t error;
  bool and_all_after;
};

// Never destroyed: calls can come while the process exits.
struct Process {
  std::mutex mutex;
  std::vector<Failure> failures;
  uint64_t injected = 0;
  const char* last_injected = "";
  std::deque<std::string> misuse;
  Device devices[kMaxDevices];
  std::atomic<uint64_t> next_thread{0};
  std::once_flag started;
};
Process& process() {
  static Process* const instance = new Process();
  return *instance;
}

// The first armed failure that is due; counts every armed one down.
cudaError_t due_failure(Fn fn) {
  Process& p = process();
  std::lock_guard<std::mutex> lock(p.mutex);
  cudaError_t due = cudaSuccess;
  for (auto it = p.failures.begin(); it != p.failures.end();) {
    if (!it->any && it->fn != fn) {
      ++it;
      continue;
    }
    if (it->remaining > 1) {
      --it->remaining;
      ++it;
      continue;
    }
    due = due == cudaSuccess ? it->error : due;
    it = it->and_all_after ? it + 1 : p.failures.erase(it);
  }
  watch(kFailuresArmed, !p.failures.empty());
  if (due != cudaSuccess) {
    ++p.injected;
    p.last_injected = kFunctions[static_cast<size_t>(fn)].name;
  }
  return due;
}

cudaError_t environment_error(Fn fn, uint32_t reasons, const ThreadState& thread) {
  if ((reasons & kNoDriver) != 0) {
    return cudaErrorInsufficientDriver;
  }
  if ((reasons & kNoDevice) != 0) {
    return cudaErrorNoDevice;
  }
  if ((reasons & kForked) != 0) {
    return cudaErrorInitializationError;
  }
  const char* name = kFunctions[static_cast<size_t>(fn)].name;
  if ((reasons & kExiting) != 0) {
    report_misuse("%s was called while the process exits", name);
    return cudaErrorCudartUnloading;
  }
  if (thread.in_host_function && thread.library_depth == 0) {
    report_misuse("%s was called from a host function; CUDA permits no calls there", name);
    return cudaErrorNotPermitted;
  }
  return cudaSuccess;
}

}  // namespace

Device& device(int index) { return process().devices[index]; }

void raise_fault(int device_index, cudaError_t error) {
  int none = 0;
  device(device_index).fault.compare_exchange_strong(none, error);
  watch(kFaulted, true);
}

void ensure_started() {
  std::call_once(process().started, [] {
    read_environment();
    apply_settings();
    std::atexit([] { watch(kExiting, true); });
    pthread_atfork(nullptr, nullptr, [] { watch(kForked, true); });
    watch(kUnstarted, false);
  });
}

uint64_t thread_id(ThreadState& thread) {
  if (thread.id == 0) {
    thread.id = ++process().next_thread;
  }
  return thread.id;
}

void report_misuse(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const OnMisuse action = settings().on_misuse;
  if (action != OnMisuse::kQuiet) {
    std::fprintf(stderr, "CUDA stand-in: misuse: %s\n", line);
  }
  if (action == OnMisuse::kAbort) {
    std::abort();
  }
  Process& p = process();
  std::lock_guard<std::mutex> lock(p.mutex);
  p.misuse.emplace_back(line);
}

uint64_t misuse_count() {
  std::lock_guard<std::mutex> lock(process().mutex);
  return process().misuse.size();
}

const char* misuse_line(size_t index) {
  std::lock_guard<std::mutex> lock(process().mutex);
  return index < process().misuse.size() ? process().misuse[index].c_str() : nullptr;
}

void clear_misuse() {
  std::lock_guard<std::mutex> lock(process().mutex);
  process().misuse.clear();
}

Verdict judge(Fn fn, ThreadState& thread) {
  if ((g_watch.load() & kUnstarted) != 0) {
    ensure_started();
  }
  const uint32_t reasons = g_watch.load();
  const uint8_t traits = kFunctions[static_cast<size_t>(fn)].traits;
  if ((traits & kPure) != 0) {
    return {cudaSuccess, true};
  }
  if (const cudaError_t error = environment_error(fn, reasons, thread); error != cudaSuccess) {
    return {error, false};
  }
  const bool after_effect = (traits & kAfterEffect) != 0;
  if ((reasons & kFailuresArmed) != 0 && thread.library_depth == 0) {
    if (const cudaError_t error = due_failure(fn); error != cudaSuccess) {
      return {error, after_effect};
    }
  }
  if ((reasons & kCapturing) != 0 && (traits & kUnsafeInCapture) != 0 &&
      forbid_in_capture(kFunctions[static_cast<size_t>(fn)].name, thread)) {
    return {cudaErrorStreamCaptureUnsupported, false};
  }
  if ((reasons & kFaulted) != 0 && (traits & kIgnoresFault) == 0) {
    const int fault = device(thread.device).fault;
    return {static_cast<cudaError_t>(fault), after_effect || fault == 0};
  }
  return {cudaSuccess, true};
}

bool arm_failure(const char* name, uint64_t nth, int error, bool and_all_after) {
  const bool any = name == nullptr || std::strcmp(name, "*") == 0;
  const Fn fn = any ? Fn::kCount : find_function(name);
  if (nth == 0 || (!any && (fn == Fn::kCount || (kFunctions[static_cast<size_t>(fn)].traits & kPure) != 0))) {
    return false;
  }
  Process& p = process();
  std::lock_guard<std::mutex> lock(p.mutex);
  p.failures.push_back({any, fn, nth, static_cast<cudaError_t>(error), and_all_after});
  watch(kFailuresArmed, true);
  return true;
}

void clear_failures() {
  Process& p = process();
  std::lock_guard<std::mutex> lock(p.mutex);
  p.failures.clear();
  p.injected = 0;
  p.last_injected = "";
  watch(kFailuresArmed, false);
}

uint64_t injected_count() {
  std::lock_guard<std::mutex> lock(process().mutex);
  return process().injected;
}

const char* last_injected() {
  std::lock_guard<std::mutex> lock(process().mutex);
  return process().last_injected;
}

}  // namespace standins::cuda
