#include "base/tensorrt.h"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/message.h"
#include "base/thread_state.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;
using executorch::runtime::Result;

namespace {

// Set with the first error that TensorRT logs in this process. Until then no thread has one to
// forget, and a call need not look at its thread's state.
std::atomic<bool> has_logged_error{false};

class Logger final : public nvinfer1::ILogger {
 public:
  nvinfer1::InterfaceInfo getInterfaceInfo() const noexcept override { return {"ILogger", 1, 0}; }
  void log(Severity severity, char const* text) noexcept override {
    if (severity > Severity::kWARNING || text == nullptr) {
      return;
    }
    if (severity == Severity::kWARNING) {
      (void)message::tensorrt_warning(text);
      return;
    }
    (void)message::tensorrt_error(text);
    ThreadState& state = thread_state();
    std::snprintf(state.tensorrt_error, sizeof(state.tensorrt_error), "%s", text);
    has_logged_error.store(true, std::memory_order_relaxed);
  }
};

// Never destroyed: TensorRT may log while the process exits.
Logger& logger() {
  static Logger& instance = *new Logger();
  return instance;
}

struct SharedRuntime {
  nvinfer1::IRuntime* runtime = nullptr;
  int leases = 0;
  bool stays = false;
};

// TensorRT promises no thread safety for IRuntime, so its use is serialised.
std::mutex runtimes_mutex;
SharedRuntime runtimes[kMaxDevices];

} // namespace

TensorRtVersion loaded_tensorrt_version() {
  return {
      getInferLibMajorVersion(),
      getInferLibMinorVersion(),
      getInferLibPatchVersion(),
      getInferLibBuildVersion()};
}

Error check_tensorrt_major() {
  const int major = getInferLibMajorVersion();
  if (major == NV_TENSORRT_MAJOR) {
    return Error::Ok;
  }
  const TensorRtVersion loaded = loaded_tensorrt_version();
  return message::tensorrt_major(NV_TENSORRT_MAJOR, loaded.major, loaded.minor, loaded.patch);
}

const char* last_tensorrt_error() {
  return thread_state().tensorrt_error;
}

void forget_tensorrt_error() {
  if (has_logged_error.load(std::memory_order_relaxed)) {
    thread_state().tensorrt_error[0] = '\0';
  }
}

Result<RuntimeLease> RuntimeLease::take(DeviceId device) {
  const std::lock_guard<std::mutex> lock(runtimes_mutex);
  SharedRuntime& shared = runtimes[index_of(device)];
  if (shared.runtime == nullptr) {
    shared.runtime = nvinfer1::createInferRuntime(logger());
    if (shared.runtime == nullptr) {
      return message::runtime_refused(index_of(device));
    }
  }
  ++shared.leases;
  return RuntimeLease(index_of(device));
}

RuntimeLease::~RuntimeLease() {
  if (device_ < 0 || process_is_exiting()) {
    return;
  }
  const std::lock_guard<std::mutex> lock(runtimes_mutex);
  SharedRuntime& shared = runtimes[device_];
  if (--shared.leases == 0 && !shared.stays) {
    delete std::exchange(shared.runtime, nullptr);
  }
}

Owned<nvinfer1::ICudaEngine> RuntimeLease::deserialize(const void* plan, std::size_t bytes) const {
  const std::lock_guard<std::mutex> lock(runtimes_mutex);
  nvinfer1::IRuntime& runtime = *runtimes[device_].runtime;
  return Owned<nvinfer1::ICudaEngine>(runtime.deserializeCudaEngine(plan, bytes));
}

void RuntimeLease::keep() const {
  const std::lock_guard<std::mutex> lock(runtimes_mutex);
  runtimes[device_].stays = true;
}

} // namespace executorch_backend_tensorrt
