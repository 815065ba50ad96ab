#include "common/log.h"

#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "common/terminal.h"

namespace trtet {
namespace {

std::atomic<bool> g_is_verbose{false};
thread_local std::vector<std::string>* t_captured = nullptr;

void emit(et_timestamp_t, et_pal_log_level_t level, const char* filename, const char*, size_t line, const char* message,
          size_t length) {
  if (level != kError && level != kFatal && !g_is_verbose) return;
  if (t_captured != nullptr) {
    t_captured->push_back(printable({message, length}, 1024));
    return;
  }
  // Messages quote names out of the program, which may be hostile.
  print_error(std::string(1, static_cast<char>(level)) + " " + printable(filename, 64) + ":" + std::to_string(line) +
              "] " + printable({message, length}, 1024));
}

}  // namespace

LogCapture::LogCapture() : outer_(t_captured) { t_captured = &messages_; }

LogCapture::~LogCapture() { t_captured = outer_; }

std::vector<std::string> LogCapture::take() {
  std::vector<std::string> taken;
  taken.swap(messages_);
  return taken;
}

void route_executorch_log(bool is_verbose) {
  g_is_verbose = is_verbose;
  executorch::runtime::register_pal(executorch::runtime::PalImpl::create(emit, __FILE__));
  executorch::runtime::runtime_init();
}

}  // namespace trtet
