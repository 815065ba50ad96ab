#include "common/cuda_api.h"

#include <dlfcn.h>

#include <string>

#include "common/failure.h"

namespace trtet {
namespace {

template <typename Function>
void look_up(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function == nullptr)
    throw Failure(std::string("the loaded libcudart.so.13 has no function ") + symbol +
                  "; install CUDA's own: pip install nvidia-cuda-runtime");
}

}  // namespace

void CudaApi::check(cudaError_t status, const char* doing) const {
  if (status == cudaSuccess) return;
  throw Failure(std::string(doing) + ": " + get_error_name(status) + " (" + get_error_string(status) + ")");
}

CudaApi load_cuda_api(void* library) {
  CudaApi api;
  look_up(library, "cudaGetDeviceCount", api.get_device_count);
  look_up(library, "cudaSetDevice", api.set_device);
  look_up(library, "cudaDriverGetVersion", api.driver_get_version);
  look_up(library, "cudaRuntimeGetVersion", api.runtime_get_version);
  look_up(library, "cudaGetErrorName", api.get_error_name);
  look_up(library, "cudaGetErrorString", api.get_error_string);
  look_up(library, "cudaGetLastError", api.get_last_error);
  look_up(library, "cudaMalloc", api.malloc);
  look_up(library, "cudaFree", api.free);
  look_up(library, "cudaMemcpy", api.memcpy);
  look_up(library, "cudaMemset", api.memset);
  look_up(library, "cudaPointerGetAttributes", api.pointer_get_attributes);
  look_up(library, "cudaStreamCreateWithFlags", api.stream_create_with_flags);
  look_up(library, "cudaStreamSynchronize", api.stream_synchronize);
  look_up(library, "cudaStreamDestroy", api.stream_destroy);
  api.get_driver_entry_point =
      reinterpret_cast<decltype(api.get_driver_entry_point)>(dlsym(library, "cudaGetDriverEntryPointByVersion"));
  return api;
}

}  // namespace trtet
