#include <csignal>
#include <cstring>
#include <thread>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

class Memory : public Cuda {};
using MemoryDeathTest = Memory;

cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
  return attributes;
}

TEST_F(MemoryDeathTest, DeviceMemoryCannotBeTouchedByTheProgram) {
  DeviceFloats memory(4);
  // A sanitizer reports the fault itself, so the signal is not asked for by number.
  EXPECT_DEATH(*static_cast<volatile float*>(memory.data()) = 1, "");
}

TEST_F(Memory, TheStandInSeesWhatWasCopiedThere) {
  DeviceFloats memory(2);
  const float values[] = {3, 4};
  ASSERT_EQ(cudaMemcpy(memory.data(), values, sizeof values, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(memory.view()[1], 4);
}

TEST_F(Memory, FreshMemoryHoldsNotANumber) {
  DeviceFloats memory(1);
  EXPECT_NE(memory.view()[0], memory.view()[0]);
}

TEST_F(Memory, AddressesAreAlignedAsCudas) {
  DeviceFloats first(1);
  DeviceFloats second(1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second.data()) % 512, 0u);
  EXPECT_NE(first.data(), second.data());
}

TEST_F(Memory, ZeroBytesAreANullPointer) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(Memory, DevicePointerKnowsItsOwner) {
  set("devices", "2");
  cudaSetDevice(1);
  DeviceFloats memory(4);
  const cudaPointerAttributes inside = attributes_of(memory.data() + 3);
  EXPECT_EQ(inside.type, cudaMemoryTypeDevice);
  EXPECT_EQ(inside.device, 1);
  EXPECT_EQ(inside.devicePointer, memory.data() + 3);
  EXPECT_EQ(inside.hostPointer, nullptr);
}

TEST_F(Memory, AnotherGpusPointerIsUsableOnlyOncePeersAreMapped) {
  set("devices", "2");
  DeviceFloats memory(4);
  cudaSetDevice(1);
  EXPECT_EQ(attributes_of(memory.data()).devicePointer, nullptr);
  ASSERT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
  EXPECT_EQ(attributes_of(memory.data()).devicePointer, memory.data());
  EXPECT_EQ(attributes_of(memory.data()).device, 0);
  ASSERT_EQ(cudaDeviceDisablePeerAccess(0), cudaSuccess);
  EXPECT_EQ(attributes_of(memory.data()).devicePointer, nullptr);
}

TEST_F(Memory, DeviceMemoryIsNotUsableFromAThreadWithoutAContext) {
  DeviceFloats memory(4);
  std::thread([&] {
    EXPECT_EQ(attributes_of(memory.data()).devicePointer, nullptr);
    EXPECT_EQ(attributes_of(memory.data()).device, 0);
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
    EXPECT_EQ(attributes_of(memory.data()).devicePointer, memory.data());
  }).join();
}

TEST_F(Memory, PageableHostMemoryIsUnregistered) {
  int local = 0;
  const cudaPointerAttributes attributes = attributes_of(&local);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(attributes.devicePointer, nullptr);
  EXPECT_EQ(attributes.hostPointer, &local);
}

TEST_F(Memory, OnAnIntegratedGpuHostMemoryHasADevicePointer) {
  set("integrated", "1");
  int local = 0;
  int integrated = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, 0), cudaSuccess);
  EXPECT_EQ(integrated, 1);
  EXPECT_EQ(attributes_of(&local).devicePointer, &local);
  EXPECT_EQ(attributes_of(&local).type, cudaMemoryTypeUnregistered);
}

TEST_F(Memory, PinnedMemoryWorksOnBothSides) {
  for (const bool by_flags : {false, true}) {
    void* pinned = nullptr;
    ASSERT_EQ(by_flags ? cudaHostAlloc(&pinned, 64, cudaHostAllocMapped) : cudaMallocHost(&pinned, 64), cudaSuccess);
    std::memset(pinned, 1, 64);
    EXPECT_EQ(attributes_of(pinned).type, cudaMemoryTypeHost);
    EXPECT_EQ(attributes_of(pinned).devicePointer, pinned);
    EXPECT_EQ(ledger_of(0).host_blocks, 1u);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
    EXPECT_EQ(attributes_of(pinned).type, cudaMemoryTypeUnregistered);
  }
}

TEST_F(Memory, RegisteredMemoryIsPinnedUntilUnregistered) {
  std::vector<char> block(4096);
  ASSERT_EQ(cudaHostRegister(block.data(), block.size(), cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(attributes_of(block.data() + 100).type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaHostRegister(block.data() + 8, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(block.data()), cudaSuccess);
  EXPECT_EQ(attributes_of(block.data() + 100).type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaHostUnregister(block.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(Memory, ManagedMemoryWorksEverywhere) {
  set("devices", "2");
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal), cudaSuccess);
  std::memset(managed, 7, 16);
  cudaSetDevice(1);
  EXPECT_EQ(attributes_of(managed).type, cudaMemoryTypeManaged);
  EXPECT_EQ(attributes_of(managed).devicePointer, managed);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(Memory, AFreedAddressComesBackOnAnotherGpu) {
  set("devices", "2");
  void* first = nullptr;
  cudaMalloc(&first, 1000);
  cudaFree(first);
  cudaSetDevice(1);
  void* second = nullptr;
  cudaMalloc(&second, 1000);
  EXPECT_EQ(first, second);
  EXPECT_EQ(attributes_of(second).device, 1);
  cudaFree(second);
}

TEST_F(Memory, FreedMemoryIsNoLongerKnown) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 1000);
  cudaFree(pointer);
  EXPECT_EQ(attributes_of(pointer).type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(standin_cuda_host_view(pointer), nullptr);
}

TEST_F(Memory, NeighboursJoinAgainWhenFreed) {
  void* blocks[3];
  for (void*& block : blocks) {
    cudaMalloc(&block, 4096);
  }
  cudaFree(blocks[0]);
  cudaFree(blocks[2]);
  cudaFree(blocks[1]);
  void* large = nullptr;
  cudaMalloc(&large, 3 * 4096);
  EXPECT_EQ(large, blocks[0]);
  cudaFree(large);
}

TEST_F(Memory, FreeingTwiceIsRefusedAndReported) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 8);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  EXPECT_NE(only_misuse().find("was freed"), std::string::npos);
}

TEST_F(Memory, FreeingTheMiddleOfABlockIsRefused) {
  DeviceFloats memory(4);
  EXPECT_EQ(cudaFree(memory.data() + 1), cudaErrorInvalidValue);
}

TEST_F(Memory, WritingBehindAnAllocationIsFoundWhenItIsFreed) {
  void* pointer = nullptr;
  cudaMalloc(&pointer, 10);
  static_cast<char*>(standin_cuda_host_view(pointer))[10] = 1;
  cudaFree(pointer);
  EXPECT_NE(only_misuse().find("was overwritten"), std::string::npos);
}

TEST_F(Memory, OutOfMemoryAtTheSizeOfTheGpu) {
  set("memory_bytes", "1000");
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 1001), cudaErrorMemoryAllocation);
  EXPECT_EQ(pointer, nullptr);
  ASSERT_EQ(cudaMalloc(&pointer, 600), cudaSuccess);
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, 401), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&more, 400), cudaSuccess);
  cudaFree(more);
  cudaFree(pointer);
}

TEST_F(Memory, OutOfMemoryAtASizeOrAlways) {
  void* pointer = nullptr;
  set("oom_size", "100");
  EXPECT_EQ(cudaMalloc(&pointer, 100), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&pointer, 99), cudaSuccess);
  cudaFree(pointer);
  set("oom_every", "1");
  EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocAsync(&pointer, 1, cudaStreamPerThread), cudaErrorMemoryAllocation);
  set("pinned_oom", "1");
  EXPECT_EQ(cudaMallocHost(&pointer, 1), cudaErrorMemoryAllocation);
}

TEST_F(Memory, FreeAndTotalFollowTheGpu) {
  set("devices", "2");
  set("memory_bytes", "100000");
  DeviceFloats memory(250);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  EXPECT_EQ(free_bytes, 99000u);
  EXPECT_EQ(total_bytes, 100000u);
  cudaSetDevice(1);
  cudaMemGetInfo(&free_bytes, &total_bytes);
  EXPECT_EQ(free_bytes, 100000u);
}

TEST_F(Memory, LedgerCountsPerGpuAndKeepsThePeak) {
  set("devices", "2");
  cudaSetDevice(1);
  {
    DeviceFloats a(100);
    DeviceFloats b(50);
    EXPECT_EQ(ledger_of(1).allocations, 2u);
    EXPECT_EQ(ledger_of(1).bytes, 600u);
    EXPECT_EQ(ledger_of(0).allocations, 0u);
  }
  EXPECT_EQ(ledger_of(1).bytes, 0u);
  EXPECT_EQ(ledger_of(1).peak_bytes, 600u);
  EXPECT_EQ(ledger_of(-1).total_allocations, 2u);
}

TEST_F(Memory, AsyncAllocationIsFreedInStreamOrder) {
  set("mode", "lazy");
  NewStream stream;
  void* pointer = nullptr;
  ASSERT_EQ(cudaMallocAsync(&pointer, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(pointer, 5, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(pointer, stream), cudaSuccess);
  EXPECT_EQ(ledger_of(0).allocations, 1u);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(ledger_of(0).allocations, 0u);
  EXPECT_EQ(standin_cuda_misuse_count(), 0u);
}

TEST_F(Memory, FreeWaitsForWorkInFlight) {
  set("mode", "lazy");
  float value = 0;
  {
    DeviceFloats memory(1);
    cudaMemsetAsync(memory.data(), 0, 4, cudaStreamPerThread);
    cudaMemcpyAsync(&value, memory.data(), 4, cudaMemcpyDeviceToHost, cudaStreamPerThread);
    value = 1;
  }
  EXPECT_EQ(value, 0);
  EXPECT_EQ(standin_cuda_misuse_count(), 0u);
}

TEST_F(Memory, ManyLoadsLeaveNoHostMemoryBehind) {
  // Pages of freed device memory go back to the system: reading them again gives zeros.
  void* pointer = nullptr;
  cudaMalloc(&pointer, 1 << 20);
  volatile char* view = static_cast<char*>(standin_cuda_host_view(pointer));
  view[8192] = 42;
  cudaFree(pointer);
  EXPECT_EQ(view[8192], 0);
}

}  // namespace
}  // namespace standins::cuda_tests
