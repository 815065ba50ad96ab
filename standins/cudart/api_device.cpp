// Devices, their attributes and peer access.
#include <cstdio>

#include "memory.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

constexpr int kComputeMajor = 9;
constexpr int kComputeMinor = 0;
constexpr int kMultiprocessors = 132;
constexpr int kNoStreamPriorities = 0;
constexpr int kHighestPriority = -5;

bool is_device(int index) { return index >= 0 && index < settings().devices; }

int attribute_value(cudaDeviceAttr attribute, int index) {
  const Settings& s = settings();
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      return kComputeMajor;
    case cudaDevAttrComputeCapabilityMinor:
      return kComputeMinor;
    case cudaDevAttrMultiProcessorCount:
      return kMultiprocessors;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxThreadsPerBlock:
      return 1024;
    case cudaDevAttrIntegrated:
      return s.integrated ? 1 : 0;
    case cudaDevAttrPageableMemoryAccess:
      return s.pageable_access ? 1 : 0;
    case cudaDevAttrPciBusId:
      return index + 1;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
      return 512;
    case cudaDevAttrAsyncEngineCount:
      return 2;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrStreamPrioritiesSupported:
      return 1;
    default:
      return 0;
  }
}

void fill_properties(cudaDeviceProp* out, int index) {
  *out = {};
  std::snprintf(out->name, sizeof out->name, "CUDA stand-in %d (host memory, no GPU)", index);
  const Settings& s = settings();
  out->totalGlobalMem = static_cast<size_t>(s.memory_bytes);
  out->sharedMemPerBlock = 48 * 1024;
  out->warpSize = 32;
  out->maxThreadsPerBlock = 1024;
  out->major = kComputeMajor;
  out->minor = kComputeMinor;
  out->multiProcessorCount = kMultiprocessors;
  out->maxThreadsPerMultiProcessor = 2048;
  out->textureAlignment = 512;
  out->surfaceAlignment = 512;
  out->integrated = s.integrated ? 1 : 0;
  out->pageableMemoryAccess = s.pageable_access ? 1 : 0;
  out->canMapHostMemory = 1;
  out->unifiedAddressing = 1;
  out->managedMemory = 1;
  out->concurrentManagedAccess = 1;
  out->concurrentKernels = 1;
  out->asyncEngineCount = 2;
  out->hostRegisterSupported = 1;
  out->memoryPoolsSupported = 1;
  out->pciBusID = index + 1;
  out->uuid.bytes[0] = static_cast<char>(index + 1);
}

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  const cudaError_t error = call(Fn::cudaGetDeviceCount, [&] {
    *count = settings().devices;
    return cudaSuccess;
  });
  if (error != cudaSuccess) {
    *count = 0;
  }
  return error;
}

cudaError_t CUDARTAPI cudaGetDevice(int* out) {
  return call(Fn::cudaGetDevice, [&] {
    *out = t_state.device;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaSetDevice(int index) {
  return call(Fn::cudaSetDevice, [&] {
    if (!is_device(index)) {
      return cudaErrorInvalidDevice;
    }
    t_state.device = index;
    t_state.green_context = nullptr;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaInitDevice(int index, unsigned int, unsigned int) {
  return call(Fn::cudaInitDevice, [&] { return is_device(index) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned int) {
  return call(Fn::cudaSetDeviceFlags, [] { return cudaSuccess; });
}

cudaError_t CUDARTAPI cudaGetDeviceFlags(unsigned int* flags) {
  return call(Fn::cudaGetDeviceFlags, [&] {
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  return call(Fn::cudaDeviceGetAttribute, [&] {
    if (!is_device(index)) {
      return cudaErrorInvalidDevice;
    }
    if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax) {
      return cudaErrorInvalidValue;
    }
    *value = attribute_value(attribute, index);
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* out, int index) {
  return call(Fn::cudaGetDeviceProperties, [&] {
    if (!is_device(index)) {
      return cudaErrorInvalidDevice;
    }
    fill_properties(out, index);
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(Fn::cudaDeviceGetStreamPriorityRange, [&] {
    if (least != nullptr) {
      *least = kNoStreamPriorities;
    }
    if (greatest != nullptr) {
      *greatest = kHighestPriority;
    }
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaDeviceSynchronize() {
  return call(Fn::cudaDeviceSynchronize, [] {
    wait_device(t_state.device);
    return static_cast<cudaError_t>(device(t_state.device).fault.load());
  });
}

cudaError_t CUDARTAPI cudaDeviceReset() {
  return call(Fn::cudaDeviceReset, [] {
    wait_device(t_state.device);
    device(t_state.device).fault = 0;
    return cudaSuccess;
  });
}

// Every pair answers yes, mapped or not: only the pointer attributes tell.
cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int* can, int index, int peer) {
  return call(Fn::cudaDeviceCanAccessPeer, [&] {
    if (!is_device(index) || !is_device(peer)) {
      return cudaErrorInvalidDevice;
    }
    *can = index == peer ? 0 : 1;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return call(Fn::cudaDeviceEnablePeerAccess, [&] {
    if (!is_device(peer) || peer == t_state.device) {
      return cudaErrorInvalidDevice;
    }
    if (flags != 0) {
      return cudaErrorInvalidValue;
    }
    const bool was = device(t_state.device).peers[static_cast<size_t>(peer)].exchange(true);
    return was ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int peer) {
  return call(Fn::cudaDeviceDisablePeerAccess, [&] {
    if (!is_device(peer) || peer == t_state.device) {
      return cudaErrorInvalidDevice;
    }
    const bool was = device(t_state.device).peers[static_cast<size_t>(peer)].exchange(false);
    return was ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

}  // extern "C"
