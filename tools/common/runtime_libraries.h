// The delegate and what it needs, loaded when a sub-command runs a program and not before.
#pragma once

#include <string>

#include "common/cuda_api.h"

namespace trtet {

struct LoadedLibrary {
  void* handle = nullptr;  // stays open until the process ends; null when it could not be opened
  std::string path;        // where the loader found it
  std::string error;       // why not: the soname, the loader's reason, the package that supplies it
};

struct RuntimeLibraries {
  LoadedLibrary cuda_runtime;
  LoadedLibrary tensorrt;
  LoadedLibrary delegate;
  CudaApi cuda;
  bool has_cuda_standin = false;      // this project's simulated CUDA is in the process
  bool has_tensorrt_standin = false;  // likewise TensorRT

  bool has_standins() const { return has_cuda_standin || has_tensorrt_standin; }
};

// The packages that supply the three libraries, and the commands that install them.
inline constexpr char kInstallCudaRuntime[] = "pip install 'nvidia-cuda-runtime<14'";
inline constexpr char kInstallTensorRt[] = "pip install tensorrt-cu13";
inline constexpr char kInstallDelegate[] = "pip install torch-tensorrt-executorch-runtime";

// Opens libcudart, libnvinfer, then the delegate, so that the delegate's own needs are met by these two:
// by LD_LIBRARY_PATH, else this executable's run path. Opens once; later calls return the same.
// Never fails: what cannot be opened says so in its `error`. `cuda` is filled only when it was.
const RuntimeLibraries& open_runtime_libraries();

// The same for those who need all three. Throws Failure with the first error.
const RuntimeLibraries& require_runtime_libraries();

// One line for people, empty when the real libraries are in use.
std::string standin_notice(const RuntimeLibraries& libraries);

}  // namespace trtet
