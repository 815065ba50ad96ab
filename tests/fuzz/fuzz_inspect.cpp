// The inspector: any bytes become a report, and the report becomes text.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "common/log.h"
#include "inspect_report.h"
#include "structured.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  trtet::route_executorch_log(false);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // malloc aligns to 16, as mapped files are; the block ends where the bytes do.
  const std::unique_ptr<char, void (*)(void*)> block(static_cast<char*>(std::malloc(size == 0 ? 1 : size)), std::free);
  if (size > 0) std::memcpy(block.get(), data, size);
  const trtet::Json report = trtet::inspect_bytes({block.get(), size}, "fuzz");
  if (trtet::render_report(report).empty()) std::abort();
  (void)report.dump(2, ' ', false, trtet::Json::error_handler_t::replace);
  return 0;
}

// Two of three mutations stay inside the blob that a program carries: its flatbuffer would rarely survive them.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (seed % 3 != 0 && fuzz::mutate_embedded_blob(data, size, seed / 3)) return size;
  return fuzz::mutate_bytes(data, size, max_size);
}
