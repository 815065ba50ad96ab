#include "common/caller_stream.h"

#include <cuda.h>
#include <dlfcn.h>

#include <string>

#include "common/failure.h"

namespace trtet {
namespace {

// ExecuTorch's guard, from its own CUDA extension where that is in the process, else from the delegate.
// Looked up by its mangled names: the library that holds it is loaded at run time.
class StreamGuard {
 public:
  explicit StreamGuard(const RuntimeLibraries& libraries) {
    construct_ = find<Construct>(libraries, "_ZN10executorch9extension4cuda17CallerStreamGuardC1EP11CUstream_st");
    destroy_ = find<Destroy>(libraries, "_ZN10executorch9extension4cuda17CallerStreamGuardD1Ev");
    if (construct_ == nullptr || destroy_ == nullptr)
      throw Failure("neither ExecuTorch nor the delegate offers CallerStreamGuard; install a newer delegate");
  }
  ~StreamGuard() {
    if (is_set_) destroy_(storage_);
  }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

  void set(cudaStream_t stream) {
    construct_(storage_, stream);
    is_set_ = true;
  }

 private:
  using Construct = void (*)(void*, cudaStream_t);
  using Destroy = void (*)(void*);

  template <typename Function>
  static Function find(const RuntimeLibraries& libraries, const char* symbol) {
    void* address = dlsym(RTLD_DEFAULT, symbol);
    if (address == nullptr) address = dlsym(libraries.delegate.handle, symbol);
    return reinterpret_cast<Function>(address);
  }

  Construct construct_ = nullptr;
  Destroy destroy_ = nullptr;
  bool is_set_ = false;
  // The guard keeps the previous stream and whether there was one: 16 bytes; the rest is spare.
  alignas(16) unsigned char storage_[64] = {};
};

class OrdinaryStream : public CallerStream {
 public:
  explicit OrdinaryStream(const RuntimeLibraries& libraries) : cuda_(libraries.cuda) {
    cuda_.check(cuda_.stream_create_with_flags(&stream_, cudaStreamNonBlocking), "creating a stream");
    guard_.emplace(libraries).set(stream_);
  }
  ~OrdinaryStream() override {
    guard_.reset();
    cuda_.stream_destroy(stream_);
  }

 private:
  const CudaApi& cuda_;
  cudaStream_t stream_ = nullptr;
  std::optional<StreamGuard> guard_;
};

// The driver's functions for green contexts (CUDA 12.4 and newer), asked for through the runtime.
struct GreenContextApi {
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetDevResource) device_get_resource = nullptr;
  decltype(&::cuDevSmResourceSplitByCount) split_by_count = nullptr;
  decltype(&::cuDevResourceGenerateDesc) generate_desc = nullptr;
  decltype(&::cuGreenCtxCreate) create = nullptr;
  decltype(&::cuGreenCtxDestroy) destroy = nullptr;
  decltype(&::cuGreenCtxStreamCreate) stream_create = nullptr;
  decltype(&::cuStreamDestroy) stream_destroy = nullptr;

  explicit GreenContextApi(const CudaApi& cuda) {
    look_up(cuda, "cuDeviceGet", device_get);
    look_up(cuda, "cuDeviceGetDevResource", device_get_resource);
    look_up(cuda, "cuDevSmResourceSplitByCount", split_by_count);
    look_up(cuda, "cuDevResourceGenerateDesc", generate_desc);
    look_up(cuda, "cuGreenCtxCreate", create);
    look_up(cuda, "cuGreenCtxDestroy", destroy);
    look_up(cuda, "cuGreenCtxStreamCreate", stream_create);
    look_up(cuda, "cuStreamDestroy", stream_destroy);
  }

 private:
  template <typename Function>
  static void look_up(const CudaApi& cuda, const char* symbol, Function& function) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    if (cuda.get_driver_entry_point == nullptr ||
        cuda.get_driver_entry_point(symbol, &address, 12040, cudaEnableDefault, &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess || address == nullptr) {
      cuda.get_last_error();
      throw Failure(std::string("no green context can be made: the CUDA driver has no ") + symbol +
                    "; it needs driver 550 or newer. Without --green-context-sms an ordinary stream is used");
    }
    function = reinterpret_cast<Function>(address);
  }
};

class GreenContextStream : public CallerStream {
 public:
  GreenContextStream(const RuntimeLibraries& libraries, int device, int sm_count) : driver_(libraries.cuda) {
    CUdevice handle = 0;
    check(driver_.device_get(&handle, device), "finding the GPU");
    CUdevResource all{}, part{};
    check(driver_.device_get_resource(handle, &all, CU_DEV_RESOURCE_TYPE_SM), "asking for its multiprocessors");
    unsigned int group_count = 1;
    check(driver_.split_by_count(&part, &group_count, &all, nullptr, 0, static_cast<unsigned int>(sm_count)),
          "splitting its multiprocessors");
    if (group_count < 1) fail("splitting its multiprocessors", CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    CUdevResourceDesc description = nullptr;
    check(driver_.generate_desc(&description, &part, 1), "describing the part");
    check(driver_.create(&context_, description, handle, CU_GREEN_CTX_DEFAULT_STREAM), "creating the context");
    const CUresult status = driver_.stream_create(&stream_, context_, CU_STREAM_NON_BLOCKING, 0);
    if (status != CUDA_SUCCESS) {
      driver_.destroy(context_);
      fail("creating its stream", status);
    }
    guard_.emplace(libraries).set(stream_);
  }
  ~GreenContextStream() override {
    guard_.reset();
    driver_.stream_destroy(stream_);
    driver_.destroy(context_);
  }

 private:
  [[noreturn]] static void fail(const char* doing, CUresult status) {
    throw Failure(std::string("no green context can be made: ") + doing + " failed with CUDA error " +
                  std::to_string(status) + "; ask for fewer multiprocessors, or 0 for an ordinary stream");
  }
  static void check(CUresult status, const char* doing) {
    if (status != CUDA_SUCCESS) fail(doing, status);
  }

  GreenContextApi driver_;
  CUgreenCtx context_ = nullptr;
  CUstream stream_ = nullptr;
  std::optional<StreamGuard> guard_;
};

}  // namespace

std::unique_ptr<CallerStream> make_caller_stream(const RuntimeLibraries& libraries) {
  return std::make_unique<OrdinaryStream>(libraries);
}

std::unique_ptr<CallerStream> make_green_context_stream(const RuntimeLibraries& libraries, int device, int sm_count) {
  return std::make_unique<GreenContextStream>(libraries, device, sm_count);
}

}  // namespace trtet
