// Error names and texts, versions, the error each thread remembers.
#include "state.h"

#include <cctype>
#include <map>
#include <string>

namespace standins::cuda {
namespace {

struct ErrorText {
  std::string name;
  std::string text;
};

// Where the name alone would not say enough.
const std::map<int, const char*>& plain_texts() {
  static const auto* const texts = new std::map<int, const char*>{
      {cudaSuccess, "no error"},
      {cudaErrorInvalidValue, "invalid argument"},
      {cudaErrorMemoryAllocation, "out of memory"},
      {cudaErrorInitializationError, "initialization error"},
      {cudaErrorCudartUnloading, "driver shutting down"},
      {cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"},
      {cudaErrorNoDevice, "no CUDA-capable device is detected"},
      {cudaErrorInvalidDevice, "invalid device ordinal"},
      {cudaErrorInvalidMemcpyDirection, "copy direction is not valid"},
      {cudaErrorInvalidResourceHandle, "invalid resource handle"},
      {cudaErrorNotReady, "device not ready"},
      {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
      {cudaErrorLaunchFailure, "unspecified launch failure"},
      {cudaErrorNotPermitted, "operation not permitted"},
      {cudaErrorNotSupported, "operation not supported"},
      {cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"},
      {cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"},
      {cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"},
      {cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"},
      {cudaErrorUnknown, "unknown error"},
  };
  return *texts;
}

// "cudaErrorFileNotFound" -> "file not found"
std::string words(const std::string& name) {
  std::string text;
  for (const char c : name.substr(sizeof "cudaError" - 1)) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !text.empty()) {
      text += ' ';
    }
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

const std::map<int, ErrorText>& error_texts() {
  static const auto* const table = [] {
    static const struct {
      int code;
      const char* name;
    } names[] = {
#define X(error) {error, #error},
#include "error_names.inc"
#undef X
    };
    auto* built = new std::map<int, ErrorText>();
    for (const auto& entry : names) {
      const auto plain = plain_texts().find(entry.code);
      built->emplace(entry.code,
                     ErrorText{entry.name, plain != plain_texts().end() ? plain->second : words(entry.name)});
    }
    return built;
  }();
  return *table;
}

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

const char* CUDARTAPI cudaGetErrorName(cudaError_t error) {
  g_counts[static_cast<size_t>(Fn::cudaGetErrorName)]++;
  const auto found = error_texts().find(error);
  return found == error_texts().end() ? "unrecognized error code" : found->second.name.c_str();
}

const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  g_counts[static_cast<size_t>(Fn::cudaGetErrorString)]++;
  const auto found = error_texts().find(error);
  return found == error_texts().end() ? "unrecognized error code" : found->second.text.c_str();
}

cudaError_t CUDARTAPI cudaGetLastError() {
  g_counts[static_cast<size_t>(Fn::cudaGetLastError)]++;
  const cudaError_t error = t_state.last_error;
  // A failed GPU keeps saying so.
  t_state.last_error = static_cast<cudaError_t>(device(t_state.device).fault.load());
  return error;
}

cudaError_t CUDARTAPI cudaPeekAtLastError() {
  g_counts[static_cast<size_t>(Fn::cudaPeekAtLastError)]++;
  return t_state.last_error;
}

cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
  return call(Fn::cudaRuntimeGetVersion, [&] {
    if (version == nullptr) {
      return cudaErrorInvalidValue;
    }
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  return call(Fn::cudaDriverGetVersion, [&] {
    if (version == nullptr) {
      return cudaErrorInvalidValue;
    }
    ensure_started();
    *version = settings().driver ? CUDART_VERSION : 0;
    return cudaSuccess;
  });
}

}  // extern "C"
