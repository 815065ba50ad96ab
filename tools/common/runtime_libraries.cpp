#include "common/runtime_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include "common/failure.h"

namespace trtet {
namespace {

LoadedLibrary open_library(const char* soname, const char* remedy) {
  LoadedLibrary library;
  library.handle = dlopen(soname, RTLD_NOW | RTLD_GLOBAL);
  if (library.handle == nullptr) throw Failure(std::string(soname) + " cannot be loaded: " + dlerror() + "; " + remedy);
  link_map* map = nullptr;
  if (dlinfo(library.handle, RTLD_DI_LINKMAP, &map) == 0) library.path = map->l_name;
  return library;
}

RuntimeLibraries load() {
  RuntimeLibraries libraries;
  libraries.cuda_runtime =
      open_library("libcudart.so.13", "it comes with the CUDA 13 runtime: pip install nvidia-cuda-runtime");
  libraries.tensorrt = open_library("libnvinfer.so.11", "it comes with TensorRT 11: pip install tensorrt-cu13");
  libraries.delegate = open_library("libexecutorch_backend_tensorrt.so",
                                    "it comes with: pip install torch-tensorrt-executorch-runtime");
  libraries.cuda = load_cuda_api(libraries.cuda_runtime.handle);
  libraries.has_cuda_standin = dlsym(libraries.cuda_runtime.handle, "standin_cuda_host_view") != nullptr;
  libraries.has_tensorrt_standin = dlsym(libraries.tensorrt.handle, "standin_tensorrt_reset") != nullptr;
  return libraries;
}

}  // namespace

const RuntimeLibraries& load_runtime_libraries() {
  static const RuntimeLibraries libraries = load();
  return libraries;
}

std::string standin_notice(const RuntimeLibraries& libraries) {
  if (!libraries.has_cuda_standin && !libraries.has_tensorrt_standin) return "";
  const std::string what = !libraries.has_cuda_standin      ? "a stand-in for TensorRT"
                           : libraries.has_tensorrt_standin ? "stand-ins for CUDA and TensorRT"
                                                            : "a stand-in for CUDA";
  return "running on " + what + ": results are simulated on the CPU, times say nothing about a GPU";
}

}  // namespace trtet
