#include "calls.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "cuda_link.h"

namespace standins {
namespace {

constexpr std::size_t kMethods = static_cast<std::size_t>(Method::kCount);

constexpr const char* kNames[kMethods] = {
    "createInferRuntime_INTERNAL",
    "getInferLibVersion",
    "getInferLibMajorVersion",
    "getInferLibMinorVersion",
    "getInferLibPatchVersion",
    "getInferLibBuildVersion",
    "~IRuntime",
    "~ICudaEngine",
    "~IExecutionContext",
    "~IRuntimeConfig",
#define METHOD(interface, name) #interface "::" #name,
#include "methods.inc"
#undef METHOD
};

constexpr Method kCanFail[] = {
    Method::createInferRuntime_INTERNAL,
    Method::IRuntime_deserializeCudaEngine,
    Method::ICudaEngine_createExecutionContext,
    Method::ICudaEngine_createExecutionContextWithRuntimeConfig,
    Method::ICudaEngine_createRuntimeConfig,
    Method::ICudaEngine_getNbOptimizationProfiles,
    Method::ICudaEngine_getTensorShape,
    Method::ICudaEngine_getTensorIOMode,
    Method::ICudaEngine_getNbIOTensors,
    Method::ICudaEngine_getIOTensorName,
    Method::ICudaEngine_getProfileShape,
    Method::ICudaEngine_setWeightStreamingBudgetV2,
    Method::IExecutionContext_setOptimizationProfileAsync,
    Method::IExecutionContext_setInputShape,
    Method::IExecutionContext_getTensorShape,
    Method::IExecutionContext_setTensorAddress,
    Method::IExecutionContext_setInputTensorAddress,
    Method::IExecutionContext_setOutputTensorAddress,
    Method::IExecutionContext_inferShapes,
    Method::IExecutionContext_enqueueV3,
    Method::IExecutionContext_updateDeviceMemorySizeForShapes,
    Method::IExecutionContext_setDeviceMemoryV2,
};

struct Failure {
  int method;  // -1: any that can fail
  uint64_t remaining;
  bool stays_armed;
};

struct State {
  std::atomic<uint64_t> counts[kMethods]{};
  std::atomic<uint64_t> injected{0};
  std::atomic<const char*> last_injected{""};
  std::atomic<bool> armed{false}, recording{false};
  std::atomic<OnMisuse> on_misuse{OnMisuse::kPrint};
  std::mutex mutex;
  std::vector<Failure> failures;
  std::vector<StandinTensorRtCall> records;
  std::deque<std::string> misuse;
};

// Never destroyed: calls may come from destructors that run at exit.
State& state() {
  static State* const instance = new State;
  return *instance;
}

uint64_t thread_number() {
  static std::atomic<uint64_t> next{1};
  thread_local const uint64_t number = next++;
  return number;
}

int find_method(const char* name) {
  for (std::size_t i = 0; i < kMethods; ++i) {
    if (std::strcmp(kNames[i], name) == 0) return static_cast<int>(i);
  }
  return -1;
}

bool take_failure(Method method) {
  State& now = state();
  const std::lock_guard<std::mutex> lock(now.mutex);
  bool fails = false;
  for (std::size_t i = 0; i < now.failures.size();) {
    Failure& failure = now.failures[i];
    const bool matches =
        failure.method < 0 ? can_fail(method) : failure.method == static_cast<int>(method);
    if (!matches || --failure.remaining != 0) {
      ++i;
      continue;
    }
    fails = true;
    if (failure.stays_armed) {
      failure.remaining = 1;
      ++i;
    } else {
      now.failures.erase(now.failures.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  now.armed = !now.failures.empty();
  if (fails) {
    ++now.injected;
    now.last_injected = method_name(method);
  }
  return fails;
}

void record(Method method, const void* object, void* stream) {
  const StandinTensorRtCall call{method_name(method), thread_number(), cuda::current_device(),
                                 stream, object};
  State& now = state();
  const std::lock_guard<std::mutex> lock(now.mutex);
  now.records.push_back(call);
}

}  // namespace

const char* method_name(Method method) { return kNames[static_cast<std::size_t>(method)]; }

bool can_fail(Method method) {
  for (Method candidate : kCanFail) {
    if (candidate == method) return true;
  }
  return false;
}

bool count_call(Method method, const void* object, void* stream) {
  State& now = state();
  now.counts[static_cast<std::size_t>(method)].fetch_add(1, std::memory_order_relaxed);
  if (now.recording.load(std::memory_order_relaxed)) record(method, object, stream);
  return now.armed.load(std::memory_order_relaxed) && take_failure(method);
}

void report_misuse(const std::string& line) {
  State& now = state();
  const OnMisuse action = now.on_misuse;
  {
    const std::lock_guard<std::mutex> lock(now.mutex);
    now.misuse.push_back(line);
  }
  if (action == OnMisuse::kQuiet) return;
  std::fprintf(stderr, "TensorRT stand-in: misuse: %s\n", line.c_str());
  if (action == OnMisuse::kAbort) std::abort();
}

void abort_unsimulated(const char* name) noexcept {
  std::fprintf(stderr, "TensorRT stand-in: %s is not simulated\n", name);
  std::abort();
}

Live& live() {
  static Live* const instance = new Live;
  return *instance;
}

bool arm_failure(const char* name, uint64_t nth, bool stays_armed) {
  int method = -1;
  if (name != nullptr && std::strcmp(name, "*") != 0) {
    method = find_method(name);
    if (method < 0) return false;
  }
  if (nth == 0) return false;
  State& now = state();
  const std::lock_guard<std::mutex> lock(now.mutex);
  now.failures.push_back({method, nth, stays_armed});
  now.armed = true;
  return true;
}

void clear_failures() {
  State& now = state();
  const std::lock_guard<std::mutex> lock(now.mutex);
  now.failures.clear();
  now.armed = false;
}

uint64_t injected_count() { return state().injected; }
const char* last_injected() { return state().last_injected; }

uint64_t call_count(const char* name) {
  if (name != nullptr && std::strcmp(name, "*") != 0) {
    const int method = find_method(name);
    return method < 0 ? 0 : state().counts[method].load();
  }
  uint64_t sum = 0;
  for (const auto& count : state().counts) sum += count;
  return sum;
}

void reset_counts() {
  State& now = state();
  for (auto& count : now.counts) count = 0;
  now.injected = 0;
  now.last_injected = "";
  const std::lock_guard<std::mutex> lock(now.mutex);
  now.records.clear();
}

void set_recording(bool on) { state().recording = on; }

std::size_t copy_calls(StandinTensorRtCall* out, std::size_t capacity) {
  State& now = state();
  const std::lock_guard<std::mutex> lock(now.mutex);
  for (std::size_t i = 0; i < now.records.size() && i < capacity; ++i) out[i] = now.records[i];
  return now.records.size();
}

void set_on_misuse(OnMisuse action) { state().on_misuse = action; }

std::size_t misuse_count() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  return state().misuse.size();
}

const char* misuse_line(std::size_t index) {
  State& now = state();
  const std::lock_guard<std::mutex> lock(now.mutex);
  return index < now.misuse.size() ? now.misuse[index].c_str() : nullptr;
}

void clear_misuse() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  state().misuse.clear();
}

}  // namespace standins
