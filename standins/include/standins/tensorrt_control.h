// Control of the TensorRT stand-in (libnvinfer.so.11 that runs plans of standins/plan.h), for tests.
//
// Every setting has a key; `standin_tensorrt_set(key, value)` and the environment variable
// STANDIN_TENSORRT_<KEY IN CAPITALS> (read when the library is loaded) mean the same:
//
//   key             values (default first)     effect
//   version         11.4.0.106                 version the library reports; plans of another one are refused
//   fail            NAME:N[,...]               the N-th call of NAME from now (or of any: *) fails; N+ fails
//                                              every call from the N-th on
//   load_refusal    TEXT                       every deserialisation logs TEXT and gives null ("" turns it off)
//   enqueue         plan | refused | faults    overrides what the plan says: refused: enqueueV3 logs and returns
//                                              false; faults: the work fails later, on the stream
//   alignment       1 | 16 | ... | 256         tensor addresses on the device must have it, else misuse and the
//                                              enqueue is refused; 1 only counts, see underaligned_addresses
//   log_verbose     0 | 1                      a kVERBOSE line for each call that fails a check, and for each load
//   on_misuse       print | abort | quiet      see standin_tensorrt_misuse
//   record          0 | 1                      keep a list of calls, see standin_tensorrt_calls
//   report          PATH                       at exit, write counts, ledger and misuse as JSON there
//                                              (%p in PATH becomes the process id)
//
// Call names: "IExecutionContext::enqueueV3", "~ICudaEngine", "createInferRuntime_INTERNAL", ... A call counts
// under its implementation interface's name (getTensorFormat with a profile: "ICudaEngine::getTensorFormatV2").
// A method that is not simulated aborts with its own name.
#ifndef STANDINS_TENSORRT_CONTROL_H_
#define STANDINS_TENSORRT_CONTROL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0 when the setting is known and well formed, else 1 and one line on stderr.
int standin_tensorrt_set(const char* key, const char* value);
// Settings, counts, failures, recorded calls and misuse as at start. Live objects stay.
void standin_tensorrt_reset(void);

// Counts since start or reset. Null or "*": all calls together.
uint64_t standin_tensorrt_count(const char* name);
void standin_tensorrt_reset_counts(void);
// Names of all calls, or null past the last one; `can_fail`: whether its failure can be told from an answer.
const char* standin_tensorrt_call_name(size_t index);
int standin_tensorrt_call_can_fail(size_t index);

// The nth (1 = next) call of `name` (null or "*": any that can fail) from now fails: null, false, -1 or no
// dimensions, and a log line. Several may be armed. 0, or 1 when the name is unknown.
int standin_tensorrt_fail(const char* name, uint64_t nth);
void standin_tensorrt_clear_failures(void);
// Failures injected since start or reset, and the name of the last call that was made to fail ("" if none).
uint64_t standin_tensorrt_injected_count(void);
const char* standin_tensorrt_last_injected(void);

typedef struct StandinTensorRtCall {
  const char* name;    // static
  uint64_t thread;     // 1, 2, ... in order of first use
  int device;          // current device of that thread, -1 if there is none
  void* stream;        // null for calls without one
  const void* object;  // the runtime, engine or context; null for entry points
} StandinTensorRtCall;
// Copies up to `capacity` recorded calls, oldest first; returns how many there are. Needs record=1.
size_t standin_tensorrt_calls(StandinTensorRtCall* out, size_t capacity);

typedef struct StandinTensorRtLedger {
  uint64_t runtimes;  // live objects
  uint64_t engines;
  uint64_t contexts;
  uint64_t others;  // runtime configs, host memory
  uint64_t peak_contexts;
  uint64_t total_runtimes;  // made since start or reset
  uint64_t total_engines;
  uint64_t total_contexts;
} StandinTensorRtLedger;
void standin_tensorrt_ledger(StandinTensorRtLedger* out);

// Launches that were enqueued and have not run to their end, of all contexts.
uint64_t standin_tensorrt_pending(void);
// Launches that ran, replays of a graph included.
uint64_t standin_tensorrt_finished(void);
// Device addresses taken by an enqueue that were not a multiple of 256.
uint64_t standin_tensorrt_underaligned_addresses(void);

// Wrong use that TensorRT would leave undefined: editing a context while its work is pending, re-entry, wrong
// order of destruction, a wrong current device, activation memory shared by two launches at a time, addresses
// of another GPU, a freed or too short buffer. Each is one line "SUBJECT: what", printed to stderr by default.
uint64_t standin_tensorrt_misuse_count(void);
// Line `index`, or null. Valid until reset.
const char* standin_tensorrt_misuse(size_t index);

#ifdef __cplusplus
}  // extern "C"
#endif
#endif  // STANDINS_TENSORRT_CONTROL_H_
