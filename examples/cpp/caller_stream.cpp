// Runs a program on a stream of the application, behind the copies that bring its inputs to the GPU.
// Usage: caller_stream MODEL.pte
//
// Nothing waits between the copies and the run: the delegate launches on the same stream. The program's float32 inputs
// must be the caller's memory and not planned, so that they can be the GPU's.
#include <cuda_runtime_api.h>
#include <executorch_backend_tensorrt/caller_stream.h>

#include "program.h"

namespace {

void check(cudaError_t error, const char* doing) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s failed: %s\n", doing, cudaGetErrorString(error));
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: caller_stream MODEL.pte\n");
    return 2;
  }
  example::Module module(argv[1]);
  const auto on_host = example::ones_for(module);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  std::vector<example::TensorPtr> on_device;
  for (const auto& tensor : on_host) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, tensor->nbytes()), "allocating an input");
    check(cudaMemcpyAsync(memory, tensor->const_data_ptr(), tensor->nbytes(), cudaMemcpyHostToDevice, stream),
          "copying an input");
    on_device.push_back(executorch::extension::from_blob(memory, {tensor->sizes().begin(), tensor->sizes().end()},
                                                         tensor->scalar_type()));
  }
  {
    const executorch::extension::cuda::CallerStreamGuard guard(stream);
    const std::vector<example::EValue> inputs(on_device.begin(), on_device.end());
    const auto outputs = example::required(module.forward(inputs), "running the program");
    std::printf("%s\n", example::text_of(outputs).c_str());
  }
  for (const auto& tensor : on_device) {
    check(cudaFree(tensor->mutable_data_ptr()), "freeing an input");
  }
  check(cudaStreamDestroy(stream), "ending the stream");
  return 0;
}
