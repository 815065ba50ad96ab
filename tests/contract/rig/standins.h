// The stand-ins' controls, resolved at run time so that the same programs run under the real CUDA runtime.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace contract {

// True when the CUDA runtime, or TensorRT, of this process is the stand-in.
bool cuda_is_simulated();
bool tensorrt_is_simulated();

// Skips the test under the real CUDA runtime, with the reason.
#define NEEDS_SIMULATED_CUDA(reason)                                 \
  if (!::contract::cuda_is_simulated()) {                            \
    GTEST_SKIP() << "not under the real CUDA runtime: " << (reason); \
  }                                                                  \
  static_assert(true, "")

// Settings of one test; the fixture puts everything back. Without effect where there is no stand-in.
void set_cuda(const std::string& key, const std::string& value);
void set_cuda(const std::string& key, int64_t value);
void set_tensorrt(const std::string& key, const std::string& value);
void reset_standins();

// The nth call of `name` from now fails: with `error` in CUDA; in TensorRT ("IExecutionContext::enqueueV3") in
// its own way. "*" is any call that can fail.
void fail_cuda(const std::string& name, uint64_t nth = 1, cudaError_t error = cudaErrorUnknown);
void fail_tensorrt(const std::string& name, uint64_t nth = 1);
void clear_failures();
uint64_t injected_failures();
std::string last_injected();

// Counts calls since the latest of these objects was made.
class Calls {
 public:
  Calls();
  uint64_t cuda(const std::string& name = "*") const;
  uint64_t tensorrt(const std::string& name = "*") const;
};

// Records the names of calls, in order, of CUDA and of TensorRT, while it lives.
class CallRecord {
 public:
  CallRecord();
  ~CallRecord();
  CallRecord(const CallRecord&) = delete;
  CallRecord& operator=(const CallRecord&) = delete;
  std::vector<std::string> cuda() const;
  std::vector<std::string> tensorrt() const;

 private:
  size_t cuda_before_;
  size_t tensorrt_before_;
};

// What is alive; equal before a load and after its destruction. All zero where there is no stand-in.
struct Live {
  uint64_t device_allocations = 0;
  uint64_t device_bytes = 0;
  uint64_t host_blocks = 0;
  uint64_t streams = 0;
  uint64_t events = 0;
  uint64_t graphs = 0;
  uint64_t graph_execs = 0;
  uint64_t runtimes = 0;
  uint64_t engines = 0;
  uint64_t contexts = 0;
  uint64_t others = 0;
};
// Of one GPU, or of all; the last four are of the process.
Live live(int device = -1);
bool operator==(const Live& a, const Live& b);
std::ostream& operator<<(std::ostream& out, const Live& live);

// Work that was queued and has not run.
uint64_t pending_work();
// Launches of any engine that were enqueued and have not run to their end.
uint64_t launches_in_flight();
uint64_t peak_contexts();
// Most streams that were running at a time since the last reset.
uint64_t peak_busy_streams();
// A failure of the device behind the work on `stream`.
void queue_fault(cudaStream_t stream, cudaError_t error);

// Wrong use of CUDA or TensorRT that the stand-ins saw since the last reset.
std::vector<std::string> misuse();

}  // namespace contract
