// A stream: operations in order, run on a thread of its own, by whoever waits, or inline (see Mode).
#ifndef STANDINS_CUDART_STREAM_H_
#define STANDINS_CUDART_STREAM_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "operation.h"

namespace standins::cuda {

class Capture;

// Another stream's work up to `sequence` comes first.
struct Dependency {
  std::shared_ptr<Stream> stream;
  uint64_t sequence;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(int device_index, unsigned stream_flags, int stream_priority);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const int device;
  const unsigned flags;
  const int priority;
  const uint64_t id;
  void* green_context = nullptr;  // set before the stream is published
  bool is_legacy = false;

  // Queues `operation` behind everything before it and behind `after`. Returns its sequence number.
  uint64_t submit(Operation operation, std::vector<Dependency> after = {});
  // Until the operation `sequence` has run.
  void wait(uint64_t sequence);
  void wait_all() { wait(submitted_.load()); }
  uint64_t submitted() const { return submitted_.load(); }
  uint64_t pending() const { return submitted_.load() - completed_.load(); }
  bool done(uint64_t sequence) const { return completed_.load() >= sequence; }
  // Lazy mode: a poll lets one operation through, so that polling ends.
  void nudge();
  // No more submissions; a worker thread ends when its work has.
  void close();

  // Set while a capture records this stream; guarded by the capture lock, `capturing` readable without.
  std::shared_ptr<Capture> capture;
  std::atomic<bool> capturing{false};

 private:
  struct Task {
    Operation operation;
    std::vector<Dependency> after;
    uint64_t sequence;
    std::chrono::steady_clock::time_point not_before;
  };
  void run_one();
  void run_worker();
  void execute(Task& task);

  std::mutex run_mutex_;  // operations of a stream never overlap
  std::mutex mutex_;      // everything below
  std::condition_variable work_;
  std::condition_variable done_;
  std::deque<Task> queue_;
  int waiters_ = 0;
  bool closed_ = false;
  bool has_worker_ = false;
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> completed_{0};
};

// Streams by handle: created ones, the legacy default (null or 1) and the per-thread default (2).
// Null when the handle is none of them or destroyed.
Stream* resolve_stream(cudaStream_t handle);
cudaStream_t create_stream(unsigned flags, int priority, void* green_context);
bool destroy_stream(cudaStream_t handle);

// Behind everything that CUDA's default-stream rules put first.
std::vector<Dependency> implicit_dependencies(const Stream& stream);
void wait_device(int device_index);
void wait_all_streams();
uint64_t pending_everywhere();
uint64_t peak_busy_streams();
void restart_peak_busy_streams();

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_STREAM_H_
