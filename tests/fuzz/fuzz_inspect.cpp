// The inspector: any bytes become a report, and the report becomes text.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "common/log.h"
#include "inspect_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool is_quiet = (trtet::route_executorch_log(false), true);
  if (!is_quiet) std::abort();
  // malloc aligns to 16, as mapped files are; the block ends where the bytes do.
  const std::unique_ptr<char, void (*)(void*)> block(static_cast<char*>(std::malloc(size == 0 ? 1 : size)), std::free);
  if (size > 0) std::memcpy(block.get(), data, size);
  const trtet::Json report = trtet::inspect_bytes({block.get(), size}, "fuzz");
  if (trtet::render_report(report).empty()) std::abort();
  (void)report.dump(2, ' ', false, trtet::Json::error_handler_t::replace);
  return 0;
}
