#include "stream.h"

#include <thread>

#include "graph.h"
#include "handles.h"
#include "ledger.h"
#include "state.h"

namespace standins::cuda {
namespace {

// Never destroyed: calls can come while the process exits.
struct Streams {
  std::mutex mutex;
  Handles<Stream, cudaStream_t> handles;
  std::vector<std::weak_ptr<Stream>> all;
  std::shared_ptr<Stream> legacy[kMaxDevices];
  // Per-thread streams made after the thread's owner object is gone.
  std::vector<std::shared_ptr<Stream>> orphans;
  std::atomic<uint64_t> next_id{1};
  std::atomic<uint64_t> busy{0};
  std::atomic<uint64_t> peak_busy{0};
};
Streams& streams() {
  static Streams* const instance = new Streams();
  return *instance;
}

std::shared_ptr<Stream> make_stream(int device_index, unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(device_index, flags, priority);
  Streams& s = streams();
  std::lock_guard<std::mutex> lock(s.mutex);
  for (size_t i = 0; i < s.all.size();) {
    if (s.all[i].expired()) {
      s.all[i] = s.all.back();
      s.all.pop_back();
    } else {
      ++i;
    }
  }
  s.all.push_back(stream);
  return stream;
}

std::vector<std::shared_ptr<Stream>> live_streams() {
  Streams& s = streams();
  std::lock_guard<std::mutex> lock(s.mutex);
  std::vector<std::shared_ptr<Stream>> live;
  for (const auto& weak : s.all) {
    if (auto stream = weak.lock()) {
      live.push_back(std::move(stream));
    }
  }
  return live;
}

__thread bool t_owner_gone;
// Ends a thread's default streams with the thread.
struct PerThreadOwner {
  std::vector<std::shared_ptr<Stream>> owned;
  ~PerThreadOwner() {
    t_owner_gone = true;
    for (const auto& stream : owned) {
      stream->close();
      t_state.per_thread[stream->device] = nullptr;
    }
  }
};

Stream* per_thread_stream(ThreadState& thread) {
  Stream*& known = thread.per_thread[thread.device];
  if (known == nullptr) {
    auto stream = make_stream(thread.device, cudaStreamDefault, 0);
    known = stream.get();
    if (t_owner_gone) {
      std::lock_guard<std::mutex> lock(streams().mutex);
      streams().orphans.push_back(std::move(stream));
    } else {
      static thread_local PerThreadOwner owner;
      owner.owned.push_back(std::move(stream));
    }
  }
  return known;
}

Stream* legacy_stream(int device_index) {
  Streams& s = streams();
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    if (s.legacy[device_index] != nullptr) {
      return s.legacy[device_index].get();
    }
  }
  auto fresh = make_stream(device_index, cudaStreamDefault, 0);
  fresh->is_legacy = true;
  std::lock_guard<std::mutex> lock(s.mutex);
  if (s.legacy[device_index] == nullptr) {
    s.legacy[device_index] = std::move(fresh);
  }
  return s.legacy[device_index].get();
}

}  // namespace

Stream::Stream(int device_index, unsigned stream_flags, int stream_priority)
    : device(device_index), flags(stream_flags), priority(stream_priority), id(streams().next_id++) {}

uint64_t Stream::submit(Operation operation, std::vector<Dependency> after) {
  if (t_state.running == this) {
    report_misuse("work was queued on a stream from a host function running on it");
    return submitted();
  }
  const Mode mode = settings().mode;
  if (mode == Mode::kImmediate) {
    std::lock_guard<std::mutex> run(run_mutex_);
    run_operation(operation, *this);
    return submitted();
  }
  if (mode == Mode::kStopped) {
    return submitted();
  }
  Task task{std::move(operation), std::move(after), 0, std::chrono::steady_clock::now()};
  for (Dependency& implicit : implicit_dependencies(*this)) {
    task.after.push_back(std::move(implicit));
  }
  task.not_before += std::chrono::microseconds(settings().delay_us);
  std::lock_guard<std::mutex> lock(mutex_);
  if (pending() == 0) {
    const uint64_t busy = ++streams().busy;
    uint64_t peak = streams().peak_busy;
    while (busy > peak && !streams().peak_busy.compare_exchange_weak(peak, busy)) {
    }
  }
  const uint64_t sequence = ++submitted_;
  task.sequence = sequence;
  queue_.push_back(std::move(task));
  if (mode == Mode::kThreaded) {
    if (!has_worker_) {
      has_worker_ = true;
      std::thread([self = shared_from_this()] { self->run_worker(); }).detach();
    }
    work_.notify_one();
  }
  return sequence;
}

void Stream::execute(Task& task) {
  for (const Dependency& dependency : task.after) {
    dependency.stream->wait(dependency.sequence);
  }
  run_operation(task.operation, *this);
}

void Stream::run_one() {
  std::lock_guard<std::mutex> run(run_mutex_);
  Task task;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (queue_.empty()) {
      return;
    }
    task = std::move(queue_.front());
    queue_.pop_front();
  }
  execute(task);
  const uint64_t sequence = task.sequence;
  task = Task{};  // what it holds may be a stream's last owner: let go without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  completed_ = sequence;
  if (pending() == 0) {
    --streams().busy;
  }
  done_.notify_all();
}

void Stream::run_worker() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] {
      return (closed_ && queue_.empty()) || (!queue_.empty() && settings().mode == Mode::kThreaded);
    });
    if (queue_.empty()) {
      return;
    }
    const auto not_before = queue_.front().not_before;
    work_.wait_until(lock, not_before, [this] { return waiters_ > 0 || closed_ || queue_.empty(); });
    lock.unlock();
    run_one();
    lock.lock();
  }
}

void Stream::wait(uint64_t sequence) {
  while (!done(sequence)) {
    const Mode mode = settings().mode;
    if (mode == Mode::kStopped) {
      return;
    }
    if (mode != Mode::kThreaded) {
      run_one();
      continue;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiters_;
    work_.notify_one();
    done_.wait(lock, [&] { return done(sequence); });
    --waiters_;
  }
}

void Stream::nudge() {
  if (settings().mode == Mode::kLazy) {
    run_one();
  }
}

void Stream::close() {
  if (settings().mode != Mode::kThreaded) {
    wait_all();
  }
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  work_.notify_one();
}

Stream* resolve_stream(cudaStream_t handle) {
  ThreadState& thread = t_state;
  if (handle == cudaStreamPerThread) {
    return per_thread_stream(thread);
  }
  if (handle == nullptr || handle == cudaStreamLegacy) {
    return legacy_stream(thread.device);
  }
  return Handles<Stream, cudaStream_t>::peek(handle);
}

cudaStream_t create_stream(unsigned flags, int priority, void* green_context) {
  auto stream = make_stream(t_state.device, flags, priority);
  stream->green_context = green_context;
  ++ledger(stream->device).streams;
  return streams().handles.publish(std::move(stream));
}

bool destroy_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) {
    return false;
  }
  const std::shared_ptr<Stream> stream = streams().handles.take(handle);
  if (stream == nullptr) {
    return false;
  }
  if (stream->capturing) {
    break_capture("cudaStreamDestroy", stream.get(), cudaErrorStreamCaptureInvalidated);
  }
  --ledger(stream->device).streams;
  stream->close();
  return true;
}

std::vector<Dependency> implicit_dependencies(const Stream& stream) {
  std::vector<Dependency> after;
  if (streams().busy == 0 || (stream.flags & cudaStreamNonBlocking) != 0) {
    return after;
  }
  for (auto& other : live_streams()) {
    const bool one_is_legacy = stream.is_legacy != other->is_legacy;
    const bool blocking = (other->flags & cudaStreamNonBlocking) == 0;
    if (other->device == stream.device && one_is_legacy && blocking && other->pending() > 0) {
      const uint64_t sequence = other->submitted();
      after.push_back({std::move(other), sequence});
    }
  }
  return after;
}

void wait_device(int device_index) {
  if (streams().busy == 0) {
    return;
  }
  for (const auto& stream : live_streams()) {
    if (stream->device == device_index && stream.get() != t_state.running) {
      stream->wait_all();
    }
  }
}

void wait_all_streams() {
  for (const auto& stream : live_streams()) {
    stream->wait_all();
  }
}

uint64_t pending_everywhere() {
  uint64_t count = 0;
  for (const auto& stream : live_streams()) {
    count += stream->pending();
  }
  return count;
}

uint64_t peak_busy_streams() { return streams().peak_busy; }
void restart_peak_busy_streams() { streams().peak_busy = streams().busy.load(); }

}  // namespace standins::cuda
