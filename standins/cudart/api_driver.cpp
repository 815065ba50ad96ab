// Driver entry points as the runtime hands them out: green contexts, which CUDA 13.0 has only there.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>

#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

constexpr unsigned kMultiprocessors = 132;
constexpr unsigned kSmallestPartition = 8;

// A partition as described (CUdevResourceDesc), then as made (CUgreenCtx, and CUcontext of it).
struct Partition {
  int device = -1;  // -1: only described
  unsigned multiprocessors = 0;
  bool alive = true;
};

// Never destroyed: calls can come while the process exits.
struct Partitions {
  std::mutex mutex;
  std::deque<Partition> all;
};
Partition* make_partition(const Partition& partition) {
  static Partitions* const partitions = new Partitions();
  std::lock_guard<std::mutex> lock(partitions->mutex);
  partitions->all.push_back(partition);
  return &partitions->all.back();
}

// Driver and runtime share the numbers of the errors used here.
template <class Body>
CUresult driver_call(Fn fn, Body&& body) {
  return static_cast<CUresult>(call(fn, [&] { return static_cast<cudaError_t>(static_cast<int>(body())); }));
}

CUdevResource multiprocessors(unsigned count) {
  CUdevResource resource{};
  resource.type = CU_DEV_RESOURCE_TYPE_SM;
  resource.sm.smCount = count;
  resource.sm.minSmPartitionSize = kSmallestPartition;
  resource.sm.smCoscheduledAlignment = kSmallestPartition;
  return resource;
}

CUresult CUDAAPI init(unsigned int) {
  return driver_call(Fn::cuInit, [] { return CUDA_SUCCESS; });
}

CUresult CUDAAPI device_get(CUdevice* out, int ordinal) {
  return driver_call(Fn::cuDeviceGet, [&] {
    if (ordinal < 0 || ordinal >= settings().devices) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    *out = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI device_get_resource(CUdevice index, CUdevResource* out, CUdevResourceType type) {
  return driver_call(Fn::cuDeviceGetDevResource, [&] {
    if (index < 0 || index >= settings().devices || type != CU_DEV_RESOURCE_TYPE_SM) {
      return type == CU_DEV_RESOURCE_TYPE_SM ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    }
    *out = multiprocessors(kMultiprocessors);
    return CUDA_SUCCESS;
  });
}

// Groups of at least `wanted` multiprocessors, rounded up to what is scheduled together.
CUresult CUDAAPI split(CUdevResource* out, unsigned int* groups, const CUdevResource* input, CUdevResource* remaining,
                       unsigned int, unsigned int wanted) {
  return driver_call(Fn::cuDevSmResourceSplitByCount, [&] {
    if (groups == nullptr || input == nullptr || input->type != CU_DEV_RESOURCE_TYPE_SM || wanted == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const unsigned size = (wanted + kSmallestPartition - 1) / kSmallestPartition * kSmallestPartition;
    const unsigned possible = input->sm.smCount / size;
    if (possible == 0) {
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    }
    if (out == nullptr) {
      *groups = possible;
      return CUDA_SUCCESS;
    }
    *groups = std::min(*groups, possible);
    std::fill_n(out, *groups, multiprocessors(size));
    if (remaining != nullptr) {
      *remaining = multiprocessors(input->sm.smCount - size * *groups);
    }
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI generate_description(CUdevResourceDesc* out, CUdevResource* resources, unsigned int count) {
  return driver_call(Fn::cuDevResourceGenerateDesc, [&] {
    Partition described;
    for (unsigned i = 0; i < count; ++i) {
      if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM) {
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
      }
      described.multiprocessors += resources[i].sm.smCount;
    }
    if (described.multiprocessors == 0) {
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    }
    *out = reinterpret_cast<CUdevResourceDesc>(make_partition(described));
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI green_create(CUgreenCtx* out, CUdevResourceDesc description, CUdevice index, unsigned int flags) {
  return driver_call(Fn::cuGreenCtxCreate, [&] {
    if (description == nullptr || flags != CU_GREEN_CTX_DEFAULT_STREAM) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    Partition made = *reinterpret_cast<const Partition*>(description);
    made.device = index;
    *out = reinterpret_cast<CUgreenCtx>(make_partition(made));
    return CUDA_SUCCESS;
  });
}

bool is_alive(const Partition* partition) { return partition != nullptr && partition->device >= 0 && partition->alive; }

CUresult CUDAAPI green_destroy(CUgreenCtx context) {
  return driver_call(Fn::cuGreenCtxDestroy, [&] {
    auto* partition = reinterpret_cast<Partition*>(context);
    if (!is_alive(partition)) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    partition->alive = false;
    if (t_state.green_context == partition) {
      t_state.green_context = nullptr;
    }
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI green_stream_create(CUstream* out, CUgreenCtx context, unsigned int flags, int priority) {
  return driver_call(Fn::cuGreenCtxStreamCreate, [&] {
    auto* partition = reinterpret_cast<Partition*>(context);
    if (!is_alive(partition)) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (flags != CU_STREAM_NON_BLOCKING) {
      return CUDA_ERROR_INVALID_VALUE;  // as the driver demands for green contexts
    }
    const int before = t_state.device;
    t_state.device = partition->device;
    *out = create_stream(cudaStreamNonBlocking, priority, partition);
    t_state.device = before;
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI context_from_green(CUcontext* out, CUgreenCtx context) {
  return driver_call(Fn::cuCtxFromGreenCtx, [&] {
    if (!is_alive(reinterpret_cast<Partition*>(context))) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    *out = reinterpret_cast<CUcontext>(context);
    return CUDA_SUCCESS;
  });
}

// Contexts other than green ones are primary ones, known here as "null".
CUresult CUDAAPI set_current(CUcontext context) {
  return driver_call(Fn::cuCtxSetCurrent, [&] {
    auto* partition = reinterpret_cast<Partition*>(context);
    if (partition != nullptr && !is_alive(partition)) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    t_state.green_context = partition;
    if (partition != nullptr) {
      t_state.device = partition->device;
    }
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI get_current(CUcontext* out) {
  return driver_call(Fn::cuCtxGetCurrent, [&] {
    *out = static_cast<CUcontext>(t_state.green_context);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI stream_get_green(CUstream handle, CUgreenCtx* out) {
  return driver_call(Fn::cuStreamGetGreenCtx, [&] {
    const Stream* stream = resolve_stream(handle);
    if (stream == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    *out = static_cast<CUgreenCtx>(stream->green_context);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI stream_destroy(CUstream handle) {
  return driver_call(Fn::cuStreamDestroy,
                     [&] { return destroy_stream(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; });
}

CUresult CUDAAPI error_name(CUresult error, const char** out) {
  *out = cudaGetErrorName(static_cast<cudaError_t>(static_cast<int>(error)));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI error_string(CUresult error, const char** out) {
  *out = cudaGetErrorString(static_cast<cudaError_t>(static_cast<int>(error)));
  return CUDA_SUCCESS;
}

struct EntryPoint {
  const char* name;
  void* address;
};

template <class Function>
void* address_of(Function* function) {
  void* address = nullptr;
  std::memcpy(&address, &function, sizeof address);
  return address;
}

void* find_entry_point(const char* name) {
  static const EntryPoint entry_points[] = {
      {"cuInit", address_of(init)},
      {"cuDeviceGet", address_of(device_get)},
      {"cuDeviceGetDevResource", address_of(device_get_resource)},
      {"cuDevSmResourceSplitByCount", address_of(split)},
      {"cuDevResourceGenerateDesc", address_of(generate_description)},
      {"cuGreenCtxCreate", address_of(green_create)},
      {"cuGreenCtxDestroy", address_of(green_destroy)},
      {"cuGreenCtxStreamCreate", address_of(green_stream_create)},
      {"cuCtxFromGreenCtx", address_of(context_from_green)},
      {"cuCtxSetCurrent", address_of(set_current)},
      {"cuCtxGetCurrent", address_of(get_current)},
      {"cuStreamGetGreenCtx", address_of(stream_get_green)},
      {"cuStreamDestroy", address_of(stream_destroy)},
      {"cuGetErrorName", address_of(error_name)},
      {"cuGetErrorString", address_of(error_string)},
  };
  for (const EntryPoint& entry : entry_points) {
    if (std::strcmp(entry.name, name) == 0) {
      return entry.address;
    }
  }
  return nullptr;
}

cudaError_t look_up(const char* symbol, void** out, cudaDriverEntryPointQueryResult* status) {
  if (symbol == nullptr || out == nullptr) {
    return cudaErrorInvalidValue;
  }
  *out = find_entry_point(symbol);
  if (status != nullptr) {
    *status = *out != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  }
  return *out != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
}

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

cudaError_t CUDARTAPI cudaGetDriverEntryPoint(const char* symbol, void** out, unsigned long long,
                                              cudaDriverEntryPointQueryResult* status) {
  return call(Fn::cudaGetDriverEntryPoint, [&] { return look_up(symbol, out, status); });
}
cudaError_t CUDARTAPI cudaGetDriverEntryPoint_ptsz(const char* symbol, void** out, unsigned long long,
                                                   cudaDriverEntryPointQueryResult* status) {
  return call(Fn::cudaGetDriverEntryPoint, [&] { return look_up(symbol, out, status); });
}
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char* symbol, void** out, unsigned int, unsigned long long,
                                                       cudaDriverEntryPointQueryResult* status) {
  return call(Fn::cudaGetDriverEntryPointByVersion, [&] { return look_up(symbol, out, status); });
}
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** out, unsigned int,
                                                            unsigned long long,
                                                            cudaDriverEntryPointQueryResult* status) {
  return call(Fn::cudaGetDriverEntryPointByVersion, [&] { return look_up(symbol, out, status); });
}

}  // extern "C"
