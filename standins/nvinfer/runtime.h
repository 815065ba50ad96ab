// IRuntime: turns plans into engines.
#ifndef STANDINS_NVINFER_RUNTIME_H_
#define STANDINS_NVINFER_RUNTIME_H_

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "unsimulated.h"

namespace standins {

// What outlives the object when the order of destruction is wrong. The logger is borrowed.
struct RuntimeCore {
  ILogger* logger = nullptr;
  std::atomic<int> live_engines{0};

  // "METHOD: Error Code N: KIND (TEXT)", as the real library words it.
  void error(const char* method, const std::string& text) const noexcept;
  void log(ILogger::Severity severity, const std::string& line) const noexcept;
};

class Runtime final : public IRuntime, private UnsimulatedRuntime {
 public:
  explicit Runtime(ILogger& logger);
  ~Runtime() noexcept override;

 private:
  IRuntime* getPImpl() noexcept override { return this; }
  ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept override;
  ILogger* getLogger() const noexcept override;
  bool setMaxThreads(int32_t count) noexcept override;
  int32_t getMaxThreads() const noexcept override;
  void setErrorRecorder(IErrorRecorder* recorder) noexcept override;
  IErrorRecorder* getErrorRecorder() const noexcept override;
  void setEngineHostCodeAllowed(bool allowed) noexcept override;
  bool getEngineHostCodeAllowed() const noexcept override;

  std::shared_ptr<RuntimeCore> core_;
  IErrorRecorder* recorder_ = nullptr;
  int32_t max_threads_ = 1;
  bool host_code_allowed_ = false;
};

// Settings of control.cpp that the objects read.
struct Settings {
  std::atomic<int> alignment{1};
  std::atomic<int> enqueue{-1};  // an EnqueueBehaviour, or -1: as the plan says
  std::atomic<bool> log_verbose{false};
};
Settings& settings();
std::array<uint8_t, 4> library_version();
std::string load_refusal();

}  // namespace standins

#endif  // STANDINS_NVINFER_RUNTIME_H_
