#include "runtime.h"

#include <cstring>

#include "cuda_link.h"
#include "engine.h"

namespace standins {
namespace {

constexpr const char* kDeserialize = "IRuntime::deserializeCudaEngine";

template <class Number>
Number read_at(const void* blob, std::size_t offset) {
  Number value;
  std::memcpy(&value, static_cast<const char*>(blob) + offset, sizeof value);
  return value;
}

std::string tag_problem(const void* blob, std::size_t size) {
  if (size < 32) {
    return "Serialization (Serialization assertion size >= header failed.Truncated plan of " +
           std::to_string(size) + " bytes)";
  }
  const auto tag = read_at<uint32_t>(blob, 0);
  if (tag != kPlanTag) {
    return "Serialization (Serialization assertion header.magicTag == kEXPECTED_MAGIC_TAG "
           "failed.Magic tag does not match (" +
           std::to_string(tag) + " != " + std::to_string(kPlanTag) + "))";
  }
  const auto ours = library_version();
  std::array<uint8_t, 4> theirs{};
  std::memcpy(theirs.data(), static_cast<const char*>(blob) + 24, theirs.size());
  // The build number does not matter to the real library either.
  if (std::equal(ours.begin(), ours.begin() + 3, theirs.begin())) return "";
  return "Serialization (Serialization assertion stdVersionRead == kSERIALIZATION_VERSION "
         "failed.Version tag does not match. Note: Current Version: " +
         std::to_string(serialization_tag(ours)) +
         ", Serialized Engine Version: " + std::to_string(read_at<uint32_t>(blob, 8)) + ")";
}

}  // namespace

void RuntimeCore::log(ILogger::Severity severity, const std::string& line) const noexcept {
  if (severity == ILogger::Severity::kVERBOSE && !settings().log_verbose) return;
  logger->log(severity, line.c_str());
}

void RuntimeCore::error(const char* method, const std::string& text) const noexcept {
  log(ILogger::Severity::kERROR, std::string(method) + ": Error Code 1: " + text);
}

Runtime::Runtime(ILogger& logger) : core_(std::make_shared<RuntimeCore>()) {
  mImpl = this;
  core_->logger = &logger;
  ++live().runtimes;
  ++live().total_runtimes;
}

Runtime::~Runtime() noexcept {
  (void)count_call(Method::destroy_IRuntime, this);
  if (core_->live_engines != 0) {
    report_misuse("IRuntime: destroyed before " + std::to_string(core_->live_engines) +
                  " of its engines");
  }
  --live().runtimes;
}

ICudaEngine* Runtime::deserializeCudaEngine(void const* blob, std::size_t size) noexcept try {
  if (count_call(Method::IRuntime_deserializeCudaEngine, this)) {
    core_->error(kDeserialize, "Internal Error (failure injected by the stand-in)");
    return nullptr;
  }
  if (blob == nullptr) {
    core_->error(kDeserialize, "API Usage Error (blob is null)");
    return nullptr;
  }
  if (const std::string problem = tag_problem(blob, size); !problem.empty()) {
    core_->error(kDeserialize, problem);
    return nullptr;
  }
  if (const std::string text = load_refusal(); !text.empty()) {
    core_->log(ILogger::Severity::kERROR, text);
    return nullptr;
  }
  return load_engine(core_, blob, size).release();
} catch (const std::exception& error) {
  core_->error(kDeserialize, "Serialization (" + std::string(error.what()) + ")");
  return nullptr;
}

ILogger* Runtime::getLogger() const noexcept {
  (void)count_call(Method::IRuntime_getLogger, this);
  return core_->logger;
}
bool Runtime::setMaxThreads(int32_t count) noexcept {
  (void)count_call(Method::IRuntime_setMaxThreads, this);
  if (count < 1) return false;
  max_threads_ = count;
  return true;
}
int32_t Runtime::getMaxThreads() const noexcept {
  (void)count_call(Method::IRuntime_getMaxThreads, this);
  return max_threads_;
}
void Runtime::setErrorRecorder(IErrorRecorder* recorder) noexcept {
  (void)count_call(Method::IRuntime_setErrorRecorder, this);
  if (recorder != nullptr) abort_unsimulated("IRuntime::setErrorRecorder");
  recorder_ = recorder;
}
IErrorRecorder* Runtime::getErrorRecorder() const noexcept {
  (void)count_call(Method::IRuntime_getErrorRecorder, this);
  return recorder_;
}
void Runtime::setEngineHostCodeAllowed(bool allowed) noexcept {
  (void)count_call(Method::IRuntime_setEngineHostCodeAllowed, this);
  host_code_allowed_ = allowed;
}
bool Runtime::getEngineHostCodeAllowed() const noexcept {
  (void)count_call(Method::IRuntime_getEngineHostCodeAllowed, this);
  return host_code_allowed_;
}

}  // namespace standins
