#include "support/log.h"

#include <mutex>

#include <executorch/runtime/platform/platform.h>

namespace unit {

namespace {
std::mutex mutex;
std::vector<std::string> collected;
bool is_collecting = false;

void emit(et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t, const char* message, size_t length) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (is_collecting) {
    collected.emplace_back(message, length);
  }
}
}  // namespace

LogCapture::LogCapture() {
  static const bool is_registered =
      executorch::runtime::register_pal(executorch::runtime::PalImpl::create(&emit, __FILE__));
  (void)is_registered;
  const std::lock_guard<std::mutex> lock(mutex);
  collected.clear();
  is_collecting = true;
}

LogCapture::~LogCapture() {
  const std::lock_guard<std::mutex> lock(mutex);
  is_collecting = false;
}

const std::vector<std::string>& LogCapture::lines() const { return collected; }

std::string LogCapture::text() const {
  std::string all;
  for (const std::string& line : collected) {
    all += line + "\n";
  }
  return all;
}

void LogCapture::clear() { collected.clear(); }

}  // namespace unit
