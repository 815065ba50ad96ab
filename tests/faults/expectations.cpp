#include "expectations.h"

#include <cstring>

namespace faults {

using executorch::runtime::Error;

namespace {

struct Row {
  Phase phase;
  const char* call;
  Expectation expectation;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {Phase::kInit, "cudaGetDeviceCount", {{Error::NotSupported}, "no usable GPU"}},
      {Phase::kInit, "cudaGetDevice", {{Error::Internal}, "cudaGetDevice failed"}},
      {Phase::kInit, "cudaSetDevice", {{Error::Internal}, "cudaSetDevice failed"}},
      {Phase::kInit, "cudaFree", {{Error::NotSupported}, "GPU 0 cannot be used"}},
      {Phase::kInit, "cudaDeviceGetAttribute", {{Error::Internal}, "cudaDeviceGetAttribute failed"}},
      {Phase::kInit, "cudaMalloc", {{Error::MemoryAllocationFailed}, "GPU memory refused"}},
      // Pinned memory is a mere help: without it CUDA copies the pageable memory itself.
      {Phase::kInit, "cudaHostAlloc", {{Error::Ok}, ""}},
      {Phase::kInit, "createInferRuntime_INTERNAL", {{Error::Internal}, "made no runtime"}},
      {Phase::kInit, "IRuntime::deserializeCudaEngine", {{Error::InvalidProgram}, "TensorRT refused the plan"}},
      {Phase::kInit, "ICudaEngine::getNbIOTensors", {{Error::InvalidProgram}, "metadata disagrees"}},
      {Phase::kInit, "ICudaEngine::getIOTensorName", {{Error::InvalidProgram}, "does not answer getIOTensorName"}},
      {Phase::kInit, "ICudaEngine::getTensorIOMode", {{Error::InvalidProgram}, "does not answer getTensorIOMode"}},
      {Phase::kInit, "ICudaEngine::getTensorShape", {{Error::InvalidProgram}, "rank -1"}},
      {Phase::kInit, "ICudaEngine::getNbOptimizationProfiles", {{Error::InvalidProgram}, "does not answer"}},
      {Phase::kInit, "ICudaEngine::getProfileShape", {{Error::InvalidProgram}, "no shape bounds"}},
      {Phase::kInit,
       "ICudaEngine::createExecutionContext",
       {{Error::MemoryAllocationFailed}, "made no execution context"}},
      // With an automatic budget 0 does instead.
      {Phase::kInit,
       "ICudaEngine::setWeightStreamingBudgetV2",
       {{Error::InvalidProgram, Error::Ok}, "weight streaming budget"}},
      {Phase::kInit, "IExecutionContext::setInputShape", {{Error::InvalidProgram}, "refused an input's shape"}},
      {Phase::kInit, "IExecutionContext::inferShapes", {{Error::InvalidProgram}, "could not infer"}},
      {Phase::kInit, "IExecutionContext::getTensorShape", {{Error::InvalidProgram}, "could not infer"}},

      {Phase::kExecute, "cudaGetDevice", {{Error::Internal}, "cudaGetDevice failed"}},
      {Phase::kExecute, "cudaSetDevice", {{Error::Internal}, "cudaSetDevice failed"}},
      {Phase::kExecute, "cudaPointerGetAttributes", {{Error::Internal}, "cudaPointerGetAttributes failed"}},
      {Phase::kExecute, "cudaMalloc", {{Error::MemoryAllocationFailed}, "GPU memory refused"}},
      {Phase::kExecute, "cudaFree", {{Error::Ok}, "cudaFree failed"}},
      {Phase::kExecute, "cudaHostAlloc", {{Error::Ok}, ""}},
      {Phase::kExecute, "cudaFreeHost", {{Error::Ok}, "cudaFreeHost failed"}},
      {Phase::kExecute, "cudaMemcpyAsync", {{Error::Internal}, "unspecified launch failure"}},
      {Phase::kExecute, "cudaStreamSynchronize", {{Error::Internal}, "GPU failed earlier"}},
      // A launch that cannot be captured runs as an ordinary one.
      {Phase::kExecute, "cudaStreamBeginCapture", {{Error::Ok}, "cuda_graph has no effect"}},
      {Phase::kExecute, "cudaStreamEndCapture", {{Error::Ok}, "cuda_graph has no effect"}},
      {Phase::kExecute, "cudaGraphInstantiate", {{Error::Ok}, "cuda_graph has no effect"}},
      {Phase::kExecute, "cudaGraphDestroy", {{Error::Ok}, "cudaGraphDestroy failed"}},
      {Phase::kExecute, "cudaGraphLaunch", {{Error::InvalidState}, "CUDA graph launch refused"}},
      {Phase::kExecute,
       "IExecutionContext::setOptimizationProfileAsync",
       {{Error::InvalidState}, "did not switch to optimization profile"}},
      {Phase::kExecute, "IExecutionContext::setInputShape", {{Error::InvalidArgument}, "refused an input's shape"}},
      {Phase::kExecute, "IExecutionContext::inferShapes", {{Error::InvalidState}, "could not infer"}},
      {Phase::kExecute, "IExecutionContext::getTensorShape", {{Error::InvalidState}, "could not infer"}},
      {Phase::kExecute, "IExecutionContext::setTensorAddress", {{Error::InvalidState}, "refused the address"}},
      // It answers nothing; the launch is what TensorRT refuses then.
      {Phase::kExecute, "IExecutionContext::setDeviceMemoryV2", {{Error::InvalidState}, "launch refused"}},
      // Ok while it is being captured: an ordinary launch follows.
      {Phase::kExecute, "IExecutionContext::enqueueV3", {{Error::InvalidState, Error::Ok}, ""}},

      {Phase::kDestroy, "cudaGetDevice", {{Error::Ok}, "cudaGetDevice failed"}},
      {Phase::kDestroy, "cudaSetDevice", {{Error::Ok}, "cudaSetDevice failed"}},
      {Phase::kDestroy, "cudaFree", {{Error::Ok}, "cudaFree failed"}},
      {Phase::kDestroy, "cudaFreeHost", {{Error::Ok}, "cudaFreeHost failed"}},
      {Phase::kDestroy, "cudaGraphExecDestroy", {{Error::Ok}, "cudaGraphExecDestroy failed"}},
  };
  return table;
}

}  // namespace

std::string name_of(Phase phase) {
  switch (phase) {
    case Phase::kInit:
      return "init";
    case Phase::kExecute:
      return "execute";
    default:
      return "destroy";
  }
}

const Expectation* expect(Phase phase, const std::string& call) {
  for (const Row& row : rows()) {
    if (row.phase == phase && call == row.call) {
      return &row.expectation;
    }
  }
  return nullptr;
}

cudaError_t plausible_error(const std::string& call) {
  const bool allocates = call.find("Malloc") != std::string::npos || call == "cudaHostAlloc";
  return allocates ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
}

}  // namespace faults
