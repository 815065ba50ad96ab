// The entry points of libnvinfer.so.11.
#define TENSORRT_BUILD_LIB
#include <new>

#include "cuda_link.h"
#include "runtime.h"

using standins::count_call;
using standins::library_version;
using standins::Method;

namespace {
// What the real library gives when there is no driver: neither null nor valid.
void* const kNoDriverResult = reinterpret_cast<void*>(0x228);

bool has_no_driver(nvinfer1::ILogger& logger) {
  const standins::cuda::LibraryScope scope;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaErrorInsufficientDriver && error != cudaErrorNoDevice) return false;
  (void)cudaGetLastError();
  const std::string line = "CUDA initialization failure with error: " + std::to_string(error);
  logger.log(nvinfer1::ILogger::Severity::kERROR, line.c_str());
  return true;
}

int32_t version_part(Method method, std::size_t index) noexcept {
  (void)count_call(method);
  return library_version()[index];
}
}  // namespace

// The version passed is not enforced, as in the real library.
void* createInferRuntime_INTERNAL(void* logger, int32_t) noexcept {
  auto* const sink = static_cast<nvinfer1::ILogger*>(logger);
  const bool fails = count_call(Method::createInferRuntime_INTERNAL);
  if (sink == nullptr) return nullptr;
  if (fails) {
    sink->log(nvinfer1::ILogger::Severity::kERROR,
              "createInferRuntime_INTERNAL: Error Code 1: Internal Error (failure injected by the "
              "stand-in)");
    return nullptr;
  }
  if (has_no_driver(*sink)) return kNoDriverResult;
  nvinfer1::IRuntime* const runtime = new (std::nothrow) standins::Runtime(*sink);
  return runtime;
}

int32_t getInferLibVersion() noexcept {
  (void)count_call(Method::getInferLibVersion);
  const auto version = library_version();
  return version[0] * 10000 + version[1] * 100 + version[2];
}
int32_t getInferLibMajorVersion() noexcept {
  return version_part(Method::getInferLibMajorVersion, 0);
}
int32_t getInferLibMinorVersion() noexcept {
  return version_part(Method::getInferLibMinorVersion, 1);
}
int32_t getInferLibPatchVersion() noexcept {
  return version_part(Method::getInferLibPatchVersion, 2);
}
int32_t getInferLibBuildVersion() noexcept {
  return version_part(Method::getInferLibBuildVersion, 3);
}
