#include "common/log.h"

#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "common/terminal.h"

namespace trtet {
namespace {

std::atomic<bool> g_is_verbose{false};

void emit(et_timestamp_t, et_pal_log_level_t level, const char* filename, const char*, size_t line, const char* message,
          size_t length) {
  if (level != kError && level != kFatal && !g_is_verbose) return;
  // Messages quote names out of the program, which may be hostile.
  print_error(std::string(1, static_cast<char>(level)) + " " + printable(filename, 64) + ":" + std::to_string(line) +
              "] " + printable({message, length}, 1024));
}

}  // namespace

void route_executorch_log(bool is_verbose) {
  g_is_verbose = is_verbose;
  executorch::runtime::register_pal(executorch::runtime::PalImpl::create(emit, __FILE__));
  executorch::runtime::runtime_init();
}

}  // namespace trtet
