// Link-time stand-in for libnvinfer.so.11 where the real one is not installed. Never meant to run.
#define TENSORRT_BUILD_LIB
#include "NvInferRuntime.h"

#include <cstdio>
#include <cstdlib>

namespace {
[[noreturn]] void refuse(const char* symbol) noexcept {
  std::fprintf(stderr,
               "libnvinfer.so.11: %s called in the link-time import library, which implements "
               "nothing; put TensorRT's own library (pip install tensorrt-cu13) on the library "
               "search path\n",
               symbol);
  std::abort();
}
}  // namespace

void* createInferRuntime_INTERNAL(void*, int32_t) noexcept {
  refuse("createInferRuntime_INTERNAL");
}
int32_t getInferLibVersion() noexcept { refuse("getInferLibVersion"); }
int32_t getInferLibMajorVersion() noexcept { refuse("getInferLibMajorVersion"); }
int32_t getInferLibMinorVersion() noexcept { refuse("getInferLibMinorVersion"); }
int32_t getInferLibPatchVersion() noexcept { refuse("getInferLibPatchVersion"); }
int32_t getInferLibBuildVersion() noexcept { refuse("getInferLibBuildVersion"); }
