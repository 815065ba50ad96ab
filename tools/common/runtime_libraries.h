// The delegate and what it needs, loaded when a sub-command runs a program and not before.
#pragma once

#include <string>

#include "common/cuda_api.h"

namespace trtet {

struct LoadedLibrary {
  void* handle = nullptr;  // stays open until the process ends
  std::string path;        // where the loader found it
};

struct RuntimeLibraries {
  LoadedLibrary cuda_runtime;
  LoadedLibrary tensorrt;
  LoadedLibrary delegate;
  CudaApi cuda;
  bool has_cuda_standin = false;      // this project's simulated CUDA is in the process
  bool has_tensorrt_standin = false;  // likewise TensorRT
};

// Opens libcudart, libnvinfer, then the delegate, so that the delegate's own needs are met by these two:
// by LD_LIBRARY_PATH, else this executable's run path. Loads once; later calls return the same.
// Throws Failure naming the library that is missing and the package that supplies it.
const RuntimeLibraries& load_runtime_libraries();

// One line for people, empty when the real libraries are in use.
std::string standin_notice(const RuntimeLibraries& libraries);

}  // namespace trtet
