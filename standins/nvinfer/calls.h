// What was called, what must fail, what lives, and what was done wrong. Thread-safe throughout.
#ifndef STANDINS_NVINFER_CALLS_H_
#define STANDINS_NVINFER_CALLS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "standins/tensorrt_control.h"

namespace standins {

enum class Method : uint16_t {
  createInferRuntime_INTERNAL,
  getInferLibVersion,
  getInferLibMajorVersion,
  getInferLibMinorVersion,
  getInferLibPatchVersion,
  getInferLibBuildVersion,
  destroy_IRuntime,
  destroy_ICudaEngine,
  destroy_IExecutionContext,
  destroy_IRuntimeConfig,
#define METHOD(interface, name) interface##_##name,
#include "methods.inc"
#undef METHOD
  kCount,
};

const char* method_name(Method method);
// Whether a caller can tell the failed answer of this method from a right one.
bool can_fail(Method method);

// Counts and records one call; true when it was armed to fail, which counts as injected.
[[nodiscard]] bool count_call(Method method, const void* object = nullptr, void* stream = nullptr);

// One line of wrong use, in the words "SUBJECT: what".
void report_misuse(const std::string& line);

[[noreturn]] void abort_unsimulated(const char* name) noexcept;

struct Live {
  std::atomic<uint64_t> runtimes{0}, engines{0}, contexts{0}, others{0}, peak_contexts{0};
  std::atomic<uint64_t> total_runtimes{0}, total_engines{0}, total_contexts{0};
  std::atomic<uint64_t> pending{0}, finished{0}, underaligned{0};
};
Live& live();

// For control.cpp.
bool arm_failure(const char* name, uint64_t nth, bool stays_armed);
void clear_failures();
uint64_t injected_count();
const char* last_injected();
uint64_t call_count(const char* name);
void reset_counts();
void set_recording(bool on);
std::size_t copy_calls(StandinTensorRtCall* out, std::size_t capacity);
enum class OnMisuse { kPrint, kAbort, kQuiet };
void set_on_misuse(OnMisuse action);
std::size_t misuse_count();
const char* misuse_line(std::size_t index);
void clear_misuse();

}  // namespace standins

#endif  // STANDINS_NVINFER_CALLS_H_
