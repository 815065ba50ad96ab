// Every simulated function that is counted, and what kind of call it is.
#ifndef STANDINS_CUDART_FUNCTIONS_H_
#define STANDINS_CUDART_FUNCTIONS_H_

#include <cstdint>

namespace standins::cuda {

enum Trait : uint8_t {
  kPlain = 0,
  kPure = 1,             // cannot fail and needs no driver
  kAfterEffect = 2,      // releases and waits: an injected failure comes after the effect
  kUnsafeInCapture = 4,  // CUDA forbids it while a capture that covers this thread is open
  kIgnoresFault = 8,     // does not report a GPU's sticky error
};

// clang-format off
#define STANDIN_CUDA_FUNCTIONS(X)                      \
  X(cudaDeviceCanAccessPeer, kIgnoresFault)            \
  X(cudaDeviceDisablePeerAccess, kPlain)               \
  X(cudaDeviceEnablePeerAccess, kPlain)                \
  X(cudaDeviceGetAttribute, kIgnoresFault)             \
  X(cudaDeviceGetStreamPriorityRange, kPlain)          \
  X(cudaDeviceReset, kIgnoresFault | kUnsafeInCapture) \
  X(cudaDeviceSynchronize, kAfterEffect | kUnsafeInCapture) \
  X(cudaDriverGetVersion, kPure)                       \
  X(cudaEventCreate, kPlain)                           \
  X(cudaEventCreateWithFlags, kPlain)                  \
  X(cudaEventDestroy, kAfterEffect)                    \
  X(cudaEventElapsedTime, kPlain)                      \
  X(cudaEventQuery, kPlain)                            \
  X(cudaEventRecord, kPlain)                           \
  X(cudaEventRecordWithFlags, kPlain)                  \
  X(cudaEventSynchronize, kAfterEffect)                \
  X(cudaFree, kAfterEffect | kUnsafeInCapture)         \
  X(cudaFreeAsync, kAfterEffect)                       \
  X(cudaFreeHost, kAfterEffect | kUnsafeInCapture)     \
  X(cudaGetDevice, kIgnoresFault)                      \
  X(cudaGetDeviceCount, kIgnoresFault)                 \
  X(cudaGetDeviceFlags, kIgnoresFault)                 \
  X(cudaGetDeviceProperties, kIgnoresFault)            \
  X(cudaGetDriverEntryPoint, kIgnoresFault)            \
  X(cudaGetDriverEntryPointByVersion, kIgnoresFault)   \
  X(cudaGetErrorName, kPure)                           \
  X(cudaGetErrorString, kPure)                         \
  X(cudaGetLastError, kPure)                           \
  X(cudaGraphAddDependencies, kPlain)                  \
  X(cudaGraphAddEmptyNode, kPlain)                     \
  X(cudaGraphAddHostNode, kPlain)                      \
  X(cudaGraphAddMemcpyNode1D, kPlain)                  \
  X(cudaGraphAddMemsetNode, kPlain)                    \
  X(cudaGraphClone, kPlain)                            \
  X(cudaGraphCreate, kPlain)                           \
  X(cudaGraphDestroy, kAfterEffect)                    \
  X(cudaGraphExecDestroy, kAfterEffect)                \
  X(cudaGraphExecUpdate, kPlain)                       \
  X(cudaGraphGetNodes, kPlain)                         \
  X(cudaGraphInstantiate, kPlain)                      \
  X(cudaGraphInstantiateWithFlags, kPlain)             \
  X(cudaGraphLaunch, kPlain)                           \
  X(cudaGraphNodeGetDependencies, kPlain)              \
  X(cudaGraphNodeGetType, kPlain)                      \
  X(cudaGraphUpload, kPlain)                           \
  X(cudaHostAlloc, kUnsafeInCapture)                   \
  X(cudaHostGetDevicePointer, kPlain)                  \
  X(cudaHostGetFlags, kPlain)                          \
  X(cudaHostRegister, kUnsafeInCapture)                \
  X(cudaHostUnregister, kAfterEffect | kUnsafeInCapture) \
  X(cudaInitDevice, kPlain)                            \
  X(cudaLaunchHostFunc, kPlain)                        \
  X(cudaMalloc, kUnsafeInCapture)                      \
  X(cudaMallocAsync, kPlain)                           \
  X(cudaMallocHost, kUnsafeInCapture)                  \
  X(cudaMallocManaged, kUnsafeInCapture)               \
  X(cudaMemGetInfo, kPlain)                            \
  X(cudaMemPrefetchAsync, kPlain)                      \
  X(cudaMemcpy, kUnsafeInCapture)                      \
  X(cudaMemcpyAsync, kPlain)                           \
  X(cudaMemcpyPeer, kUnsafeInCapture)                  \
  X(cudaMemcpyPeerAsync, kPlain)                       \
  X(cudaMemset, kUnsafeInCapture)                      \
  X(cudaMemsetAsync, kPlain)                           \
  X(cudaPeekAtLastError, kPure)                        \
  X(cudaPointerGetAttributes, kPlain)                  \
  X(cudaRuntimeGetVersion, kPure)                      \
  X(cudaSetDevice, kIgnoresFault)                      \
  X(cudaSetDeviceFlags, kIgnoresFault)                 \
  X(cudaStreamAddCallback, kPlain)                     \
  X(cudaStreamBeginCapture, kPlain)                    \
  X(cudaStreamCreate, kPlain)                          \
  X(cudaStreamCreateWithFlags, kPlain)                 \
  X(cudaStreamCreateWithPriority, kPlain)              \
  X(cudaStreamDestroy, kAfterEffect)                   \
  X(cudaStreamEndCapture, kAfterEffect)                \
  X(cudaStreamGetCaptureInfo, kPlain)                  \
  X(cudaStreamGetDevice, kPlain)                       \
  X(cudaStreamGetFlags, kPlain)                        \
  X(cudaStreamGetId, kPlain)                           \
  X(cudaStreamGetPriority, kPlain)                     \
  X(cudaStreamIsCapturing, kPlain)                     \
  X(cudaStreamQuery, kPlain)                           \
  X(cudaStreamSynchronize, kAfterEffect)               \
  X(cudaStreamWaitEvent, kPlain)                       \
  X(cudaThreadExchangeStreamCaptureMode, kPlain)       \
  X(cuCtxFromGreenCtx, kPlain)                         \
  X(cuCtxGetCurrent, kPlain)                           \
  X(cuCtxSetCurrent, kPlain)                           \
  X(cuDeviceGet, kPlain)                               \
  X(cuDeviceGetDevResource, kPlain)                    \
  X(cuDevResourceGenerateDesc, kPlain)                 \
  X(cuDevSmResourceSplitByCount, kPlain)               \
  X(cuGreenCtxCreate, kPlain)                          \
  X(cuGreenCtxDestroy, kAfterEffect)                   \
  X(cuGreenCtxStreamCreate, kPlain)                    \
  X(cuInit, kPlain)                                    \
  X(cuStreamDestroy, kAfterEffect)                     \
  X(cuStreamGetGreenCtx, kPlain)
// clang-format on

enum class Fn : uint16_t {
#define X(name, traits) name,
  STANDIN_CUDA_FUNCTIONS(X)
#undef X
      kCount
};

constexpr uint8_t traits_of(Fn fn) {
  constexpr uint8_t kTraits[] = {
#define X(name, traits) static_cast<uint8_t>(traits),
      STANDIN_CUDA_FUNCTIONS(X)
#undef X
  };
  return kTraits[static_cast<int>(fn)];
}

struct FunctionInfo {
  const char* name;
  uint8_t traits;
};
extern const FunctionInfo kFunctions[static_cast<int>(Fn::kCount)];

// kCount when the name is not simulated.
Fn find_function(const char* name);

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_FUNCTIONS_H_
