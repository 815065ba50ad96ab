#include "common/runtime_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include "common/failure.h"

namespace trtet {
namespace {

LoadedLibrary open_library(const char* soname, const char* remedy) {
  LoadedLibrary library;
  library.handle = dlopen(soname, RTLD_NOW | RTLD_GLOBAL);
  if (library.handle == nullptr) {
    library.error = std::string(soname) + " cannot be loaded: " + dlerror() + "; it comes with: " + remedy;
    return library;
  }
  link_map* map = nullptr;
  if (dlinfo(library.handle, RTLD_DI_LINKMAP, &map) == 0) library.path = map->l_name;
  return library;
}

bool has_symbol(const LoadedLibrary& library, const char* symbol) {
  return library.handle != nullptr && dlsym(library.handle, symbol) != nullptr;
}

RuntimeLibraries open_all() {
  RuntimeLibraries libraries;
  libraries.cuda_runtime = open_library("libcudart.so.13", kInstallCudaRuntime);
  libraries.tensorrt = open_library("libnvinfer.so.11", kInstallTensorRt);
  libraries.delegate = open_library("libexecutorch_backend_tensorrt.so", kInstallDelegate);
  libraries.has_cuda_standin = has_symbol(libraries.cuda_runtime, "standin_cuda_set");
  libraries.has_tensorrt_standin = has_symbol(libraries.tensorrt, "standin_tensorrt_set");
  if (libraries.cuda_runtime.handle == nullptr) return libraries;
  try {
    libraries.cuda = load_cuda_api(libraries.cuda_runtime.handle);
  } catch (const Failure& failure) {
    libraries.cuda_runtime.error = failure.what();
  }
  return libraries;
}

}  // namespace

const RuntimeLibraries& open_runtime_libraries() {
  static const RuntimeLibraries libraries = open_all();
  return libraries;
}

const RuntimeLibraries& require_runtime_libraries() {
  const RuntimeLibraries& libraries = open_runtime_libraries();
  for (const LoadedLibrary* library : {&libraries.cuda_runtime, &libraries.tensorrt, &libraries.delegate})
    if (!library->error.empty()) throw Failure(library->error);
  return libraries;
}

std::string standin_notice(const RuntimeLibraries& libraries) {
  if (!libraries.has_standins()) return "";
  const std::string what = !libraries.has_cuda_standin      ? "a stand-in for TensorRT"
                           : libraries.has_tensorrt_standin ? "stand-ins for CUDA and TensorRT"
                                                            : "a stand-in for CUDA";
  return "running on " + what + ": results are simulated on the CPU, times say nothing about a GPU";
}

}  // namespace trtet
