// The reader of a plan's tag, against the definition: 28 bytes, "ftrt" first, one byte per number at 24.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "plan_tag.h"

using executorch_backend_tensorrt::read_plan_version;
using executorch_backend_tensorrt::TensorRtVersion;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto version = read_plan_version(data, size);
  const bool is_plan = size >= 28 && data[0] == 'f' && data[1] == 't' && data[2] == 'r' && data[3] == 't';
  if (version.has_value() != is_plan) std::abort();
  if (is_plan && *version != TensorRtVersion{data[24], data[25], data[26], data[27]}) std::abort();
  return 0;
}
