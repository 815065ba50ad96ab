// Allocation, pinned and managed memory, pointer attributes.
#include "memory.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

// Work in flight may still use what is freed; CUDA waits as well.
cudaError_t free_device(void* pointer) {
  if (pointer == nullptr) {
    return cudaSuccess;
  }
  Block block;
  if (find_block(pointer, &block)) {
    wait_device(block.device);
  }
  return release(pointer, Place::kDevice);
}

cudaError_t free_host(void* pointer, Place place) {
  if (pointer == nullptr) {
    return cudaSuccess;
  }
  wait_device(t_state.device);
  return release(pointer, place);
}

void describe_host(cudaPointerAttributes* out, const void* pointer) {
  out->type = cudaMemoryTypeUnregistered;
  out->device = cudaInvalidDeviceId;
  out->devicePointer = settings().pageable_access ? const_cast<void*>(pointer) : nullptr;
  out->hostPointer = const_cast<void*>(pointer);
}

cudaError_t describe(cudaPointerAttributes* out, const void* pointer) {
  *out = {};
  Block block;
  if (!find_block(pointer, &block)) {
    if (in_arena(pointer)) {
      // Freed device memory: CUDA knows nothing of it any more.
      out->type = cudaMemoryTypeUnregistered;
      out->device = cudaInvalidDeviceId;
      return cudaSuccess;
    }
    describe_host(out, pointer);
    return cudaSuccess;
  }
  void* const address = const_cast<void*>(pointer);
  out->device = block.device;
  switch (block.place) {
    case Place::kDevice:
      out->type = cudaMemoryTypeDevice;
      // Seen on an H200: in a thread without a context no device memory is usable, its own GPU's neither.
      out->devicePointer = t_state.has_context && reachable(block, t_state.device) ? address : nullptr;
      break;
    case Place::kManaged:
      out->type = cudaMemoryTypeManaged;
      out->devicePointer = out->hostPointer = address;
      break;
    case Place::kPinned:
    case Place::kRegistered:
      out->type = cudaMemoryTypeHost;
      out->devicePointer = out->hostPointer = address;
      break;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

cudaError_t CUDARTAPI cudaMalloc(void** out, size_t bytes) {
  return call(Fn::cudaMalloc,
              [&] { return out == nullptr ? cudaErrorInvalidValue : allocate_device(t_state.device, bytes, out); });
}

cudaError_t CUDARTAPI cudaFree(void* pointer) {
  return call(Fn::cudaFree, [&] { return free_device(pointer); });
}

cudaError_t CUDARTAPI cudaMallocAsync(void** out, size_t bytes, cudaStream_t handle) {
  return call(Fn::cudaMallocAsync, handle, [&] {
    Stream* stream = resolve_stream(handle);
    if (stream == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (stream->capturing) {
      return cudaErrorStreamCaptureUnsupported;
    }
    return out == nullptr ? cudaErrorInvalidValue : allocate_device(stream->device, bytes, out);
  });
}
cudaError_t CUDARTAPI cudaMallocAsync_ptsz(void** out, size_t bytes, cudaStream_t handle) {
  return cudaMallocAsync(out, bytes, handle == nullptr ? cudaStreamPerThread : handle);
}

cudaError_t CUDARTAPI cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return call(Fn::cudaFreeAsync, handle, [&] {
    Stream* stream = resolve_stream(handle);
    Block block;
    if (stream == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (pointer == nullptr || !find_block(pointer, &block) || block.place != Place::kDevice) {
      return pointer == nullptr ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (stream->capturing) {
      return cudaErrorStreamCaptureUnsupported;
    }
    Operation operation;
    operation.kind = Operation::Kind::kFree;
    operation.destination = pointer;
    stream->submit(std::move(operation));
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaFreeAsync_ptsz(void* pointer, cudaStream_t handle) {
  return cudaFreeAsync(pointer, handle == nullptr ? cudaStreamPerThread : handle);
}

cudaError_t CUDARTAPI cudaMallocHost(void** out, size_t bytes) {
  return call(Fn::cudaMallocHost, [&] { return allocate_host(t_state.device, bytes, Place::kPinned, 0, out); });
}

cudaError_t CUDARTAPI cudaHostAlloc(void** out, size_t bytes, unsigned int flags) {
  return call(Fn::cudaHostAlloc, [&] { return allocate_host(t_state.device, bytes, Place::kPinned, flags, out); });
}

cudaError_t CUDARTAPI cudaFreeHost(void* pointer) {
  return call(Fn::cudaFreeHost, [&] { return free_host(pointer, Place::kPinned); });
}

cudaError_t CUDARTAPI cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return call(Fn::cudaHostRegister, [&] { return register_host(t_state.device, pointer, bytes, flags); });
}

cudaError_t CUDARTAPI cudaHostUnregister(void* pointer) {
  return call(Fn::cudaHostUnregister, [&] { return free_host(pointer, Place::kRegistered); });
}

cudaError_t CUDARTAPI cudaMallocManaged(void** out, size_t bytes, unsigned int flags) {
  return call(Fn::cudaMallocManaged, [&] { return allocate_host(t_state.device, bytes, Place::kManaged, flags, out); });
}

cudaError_t CUDARTAPI cudaHostGetDevicePointer(void** out, void* pointer, unsigned int) {
  return call(Fn::cudaHostGetDevicePointer, [&] {
    Block block;
    if (!find_block(pointer, &block) || block.place == Place::kDevice) {
      return cudaErrorInvalidValue;
    }
    *out = pointer;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaHostGetFlags(unsigned int* flags, void* pointer) {
  return call(Fn::cudaHostGetFlags, [&] {
    Block block;
    if (!find_block(pointer, &block) || block.place == Place::kDevice) {
      return cudaErrorInvalidValue;
    }
    *flags = block.flags;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return call(Fn::cudaMemGetInfo, [&] {
    *total_bytes = static_cast<size_t>(settings().memory_bytes);
    const uint64_t used = device_bytes(t_state.device);
    *free_bytes = used < *total_bytes ? *total_bytes - used : 0;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
  return call(Fn::cudaPointerGetAttributes,
              [&] { return out == nullptr ? cudaErrorInvalidValue : describe(out, pointer); });
}

// Managed memory is host memory here: a place for it is only advice.
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void* pointer, size_t, cudaMemLocation, unsigned int,
                                           cudaStream_t handle) {
  return call(Fn::cudaMemPrefetchAsync, handle, [&] {
    Block block;
    if (resolve_stream(handle) == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    return find_block(pointer, &block) && block.place == Place::kManaged ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t CUDARTAPI cudaMemPrefetchAsync_ptsz(const void* pointer, size_t bytes, cudaMemLocation location,
                                                unsigned int flags, cudaStream_t handle) {
  return cudaMemPrefetchAsync(pointer, bytes, location, flags, handle == nullptr ? cudaStreamPerThread : handle);
}

}  // extern "C"
