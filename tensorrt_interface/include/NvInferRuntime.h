// The part of TensorRT 11's runtime interface that this project calls, declared from its binary
// facts under the vendor's own names. The vendor's header takes its place where one is found.
//
// Failure is null, false or a negative count, with a line through ILogger; nothing throws.
// Objects are destroyed with `delete`, in the order context, engine, runtime.
#ifndef NV_INFER_RUNTIME_H
#define NV_INFER_RUNTIME_H

#include "tensorrt_interface/types.h"

#include "tensorrt_interface/implementation.h"

#ifdef TENSORRT_BUILD_LIB
#define TENSORRTAPI __attribute__((visibility("default")))
#else
#define TENSORRTAPI
#endif

extern "C" TENSORRTAPI void* createInferRuntime_INTERNAL(void* logger, int32_t version) noexcept;
extern "C" TENSORRTAPI int32_t getInferLibVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibMajorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibMinorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibPatchVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibBuildVersion() noexcept;

namespace nvinfer1 {

class IHostMemory : public INoCopy {
 public:
  ~IHostMemory() noexcept override = default;
  void* data() const noexcept { return mImpl->data(); }
  std::size_t size() const noexcept { return mImpl->size(); }
  DataType type() const noexcept { return mImpl->type(); }

 protected:
  apiv::VHostMemory* mImpl;
};

class IRuntimeConfig : public INoCopy {
 public:
  ~IRuntimeConfig() noexcept override = default;
  void setExecutionContextAllocationStrategy(ExecutionContextAllocationStrategy strategy) noexcept {
    mImpl->setExecutionContextAllocationStrategy(strategy);
  }
  ExecutionContextAllocationStrategy getExecutionContextAllocationStrategy() const noexcept {
    return mImpl->getExecutionContextAllocationStrategy();
  }

 protected:
  apiv::VRuntimeConfig* mImpl;
};

class IRuntime : public INoCopy {
 public:
  ~IRuntime() noexcept override = default;
  ICudaEngine* deserializeCudaEngine(void const* blob, std::size_t size) noexcept {
    return mImpl->deserializeCudaEngine(blob, size);
  }
  ILogger* getLogger() const noexcept { return mImpl->getLogger(); }
  bool setMaxThreads(int32_t maxThreads) noexcept { return mImpl->setMaxThreads(maxThreads); }
  int32_t getMaxThreads() const noexcept { return mImpl->getMaxThreads(); }
  void setErrorRecorder(IErrorRecorder* recorder) noexcept { mImpl->setErrorRecorder(recorder); }
  IErrorRecorder* getErrorRecorder() const noexcept { return mImpl->getErrorRecorder(); }
  void setGpuAllocator(IGpuAllocator* allocator) noexcept { mImpl->setGpuAllocator(allocator); }
  void setEngineHostCodeAllowed(bool allowed) noexcept { mImpl->setEngineHostCodeAllowed(allowed); }
  bool getEngineHostCodeAllowed() const noexcept { return mImpl->getEngineHostCodeAllowed(); }

 protected:
  apiv::VRuntime* mImpl;
};

}  // namespace nvinfer1

#include "tensorrt_interface/engine.h"

#include "tensorrt_interface/execution_context.h"

namespace nvinfer1 {
namespace {
// The runtime is owned by the caller; `logger` is borrowed until every object of it is gone.
inline IRuntime* createInferRuntime(ILogger& logger) noexcept {
  return static_cast<IRuntime*>(createInferRuntime_INTERNAL(&logger, NV_TENSORRT_VERSION));
}
}  // namespace
}  // namespace nvinfer1

#endif  // NV_INFER_RUNTIME_H
