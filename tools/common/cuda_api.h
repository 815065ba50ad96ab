// The CUDA runtime functions this tool calls, looked up in the libcudart that is in the process.
// Looked up rather than linked: `inspect`, `extract` and `pack` run where there is no CUDA at all.
#pragma once

#include <cuda_runtime_api.h>

namespace trtet {

struct CudaApi {
  decltype(&::cudaGetDeviceCount) get_device_count = nullptr;
  decltype(&::cudaSetDevice) set_device = nullptr;
  decltype(&::cudaDriverGetVersion) driver_get_version = nullptr;
  decltype(&::cudaRuntimeGetVersion) runtime_get_version = nullptr;
  decltype(&::cudaGetErrorName) get_error_name = nullptr;
  decltype(&::cudaGetErrorString) get_error_string = nullptr;
  decltype(&::cudaGetLastError) get_last_error = nullptr;
  cudaError_t (*malloc)(void**, size_t) = nullptr;
  decltype(&::cudaFree) free = nullptr;
  decltype(&::cudaMemcpy) memcpy = nullptr;
  decltype(&::cudaMemset) memset = nullptr;
  cudaError_t (*pointer_get_attributes)(cudaPointerAttributes*, const void*) = nullptr;
  decltype(&::cudaStreamCreateWithFlags) stream_create_with_flags = nullptr;
  decltype(&::cudaStreamSynchronize) stream_synchronize = nullptr;
  decltype(&::cudaStreamDestroy) stream_destroy = nullptr;
  // Left null by runtimes that lack it; only green contexts need it.
  cudaError_t (*get_driver_entry_point)(const char*, void**, unsigned int, unsigned long long,
                                        cudaDriverEntryPointQueryResult*) = nullptr;

  // Throws Failure naming `doing` and the CUDA error unless `status` is cudaSuccess.
  void check(cudaError_t status, const char* doing) const;
};

// Fills the table from an open library. Throws Failure naming a function that is missing.
CudaApi load_cuda_api(void* library);

}  // namespace trtet
