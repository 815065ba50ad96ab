// spec: "Load"; cases 6 and 7. This program does not link the delegate: each test loads it in a process of its own.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <executorch/runtime/core/device_allocator.h>

#include "rig/fixture.h"
#include "rig/fresh_process.h"

namespace contract {
namespace {

using executorch::runtime::DeviceAllocator;
using executorch::runtime::get_device_allocator;
using executorch::runtime::Result;
using executorch::runtime::etensor::DeviceIndex;
using executorch::runtime::etensor::DeviceType;

constexpr char kLibrary[] = "libexecutorch_backend_tensorrt.so";

// In a build tree the library is beside the folder of this executable; elsewhere the loader finds it. By path,
// because a sanitizer's dlopen does not follow this executable's run path.
std::string delegate() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto beside = folder.parent_path() / kLibrary;
  return std::filesystem::exists(beside) ? beside.string() : kLibrary;
}

void* load_delegate(const std::string& path = delegate()) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  return handle;
}

std::string path_of_delegate() {
  std::array<char, 4096> folder{};
  void* handle = load_delegate();
  EXPECT_EQ(dlinfo(handle, RTLD_DI_ORIGIN, folder.data()), 0);
  return std::string(folder.data()) + "/" + kLibrary;
}

// Another copy of the library in a folder of its own, gone with the object.
class Copy {
 public:
  Copy() {
    std::string pattern = testing::TempDir() + "contract.XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::filesystem::copy_file(path_of_delegate(), path());
  }
  ~Copy() { std::filesystem::remove_all(folder_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  std::string path() const { return folder_ + "/" + kLibrary; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

// What a CUDA build of ExecuTorch would have registered.
class OtherAllocator final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t, DeviceIndex, size_t) override { return Error::NotSupported; }
  void deallocate(void*, DeviceIndex) override {}
  Error copy_host_to_device(void*, const void*, size_t, DeviceIndex) override { return Error::Ok; }
  Error copy_device_to_host(void*, const void*, size_t, DeviceIndex) override { return Error::Ok; }
  DeviceType device_type() const override { return DeviceType::CUDA; }
};

void touches_no_cuda() {
  ASSERT_EQ(backend(), nullptr);
  const Calls calls;
  load_delegate();
  EXPECT_NE(backend(), nullptr);
  EXPECT_TRUE(backend()->is_available());
  EXPECT_EQ(calls.cuda(), 0U);
  EXPECT_EQ(calls.tensorrt("createInferRuntime_INTERNAL"), 0U);
}

TEST(Load, RegistersWithoutTouchingCuda) { IN_FRESH_PROCESS(touches_no_cuda); }

void works_without_driver() {
  set_cuda("driver", "none");
  load_delegate();
  ASSERT_NE(backend(), nullptr);
  EXPECT_TRUE(backend()->is_available());
  const ScopedLog log;
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::NotSupported);
  EXPECT_TRUE(log.has({"driver"}));
}

TEST(Load, RegistersOnAMachineWithoutADriver) {
  if (!cuda_is_simulated()) {
    GTEST_SKIP() << "the driver of a real GPU cannot be taken away";
  }
  IN_FRESH_PROCESS(works_without_driver);
}

void runtime_on_first_use() {
  load_delegate();
  const Calls calls;
  EXPECT_TRUE(backend()->is_available());
  EXPECT_EQ(calls.tensorrt("createInferRuntime_INTERNAL"), 0U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::Ok);
  }
  EXPECT_EQ(calls.tensorrt("createInferRuntime_INTERNAL"), 1U);
}

TEST(Load, OneRuntimeMadeOnFirstUse) { IN_FRESH_PROCESS(runtime_on_first_use); }

void another_major() {
  set_tensorrt("version", "10.9.0.34");
  load_delegate();
  ASSERT_NE(backend(), nullptr);
  EXPECT_FALSE(backend()->is_available());
}

TEST(Load, IsNotAvailableWithATensorRTOfAnotherMajor) { IN_FRESH_PROCESS(another_major); }

void second_registration() {
  const Copy copy;
  load_delegate();
  BackendInterface* first = backend();
  const ScopedLog log;
  load_delegate(copy.path());
  EXPECT_EQ(backend(), first);
  const std::string first_path = path_of_delegate();
  EXPECT_TRUE(log.has({copy.folder()}));
  EXPECT_TRUE(log.has({first_path.substr(first_path.size() - 40)}));
  EXPECT_TRUE(log.nothing_cut());
  EXPECT_TRUE(first->is_available());
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::Ok);
}

TEST(Load, SecondCopyIsLoggedWithBothPathsAndRefusedNotFatal) { IN_FRESH_PROCESS(second_registration); }

void allocator_when_absent() {
  ASSERT_EQ(get_device_allocator(DeviceType::CUDA), nullptr);
  load_delegate();
  DeviceAllocator* allocator = get_device_allocator(DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  EXPECT_EQ(allocator->device_type(), DeviceType::CUDA);
  const Copy copy;
  load_delegate(copy.path());  // registering twice for a type would abort
  EXPECT_EQ(get_device_allocator(DeviceType::CUDA), allocator);
}

TEST(DeviceAllocatorOfTheDelegate, RegisteredOnceWhenAbsent) { IN_FRESH_PROCESS(allocator_when_absent); }

void allocator_when_present() {
  static OtherAllocator other;
  executorch::runtime::register_device_allocator(&other);
  load_delegate();
  EXPECT_EQ(get_device_allocator(DeviceType::CUDA), &other);
  ASSERT_NE(backend(), nullptr);
  EXPECT_EQ(load(one_in_one_out(plans::add_one({4}))).error, Error::Ok);
}

TEST(DeviceAllocatorOfTheDelegate, NotRegisteredWhenPresent) { IN_FRESH_PROCESS(allocator_when_present); }

void allocator_copies() {
  load_delegate();
  DeviceAllocator* allocator = get_device_allocator(DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  const Live before = live();
  const auto memory = allocator->allocate(4096, 0, 256);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % 256, 0U);
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory.get()), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  const std::vector<float> values = {1, 2, 3, 4};
  std::vector<float> back(4);
  EXPECT_EQ(allocator->copy_host_to_device(memory.get(), values.data(), 16, 0), Error::Ok);
  EXPECT_EQ(allocator->copy_device_to_host(back.data(), memory.get(), 16, 0), Error::Ok);
  EXPECT_EQ(back, values);
  allocator->deallocate(memory.get(), 0);
  EXPECT_EQ(live(), before);
}

TEST(DeviceAllocatorOfTheDelegate, AllocatesAndCopiesOnItsGpu) { IN_FRESH_PROCESS(allocator_copies); }

void allocator_host_arena() {
  load_delegate();
  DeviceAllocator* allocator = get_device_allocator(DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  const std::vector<float> values = {1, 2, 3, 4};
  std::vector<float> arena(4);
  std::vector<float> back(4);
  EXPECT_EQ(allocator->copy_host_to_device(arena.data(), values.data(), 16, 0), Error::Ok);
  EXPECT_EQ(allocator->copy_device_to_host(back.data(), arena.data(), 16, 0), Error::Ok);
  EXPECT_EQ(back, values);
}

TEST(DeviceAllocatorOfTheDelegate, CopiesAnArenaThatWasPlannedInHostMemory) { IN_FRESH_PROCESS(allocator_host_arena); }

void allocator_second_gpu() {
  set_cuda("devices", 2);
  load_delegate();
  DeviceAllocator* allocator = get_device_allocator(DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  const auto memory = allocator->allocate(64, 1);
  ASSERT_TRUE(memory.ok());
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory.get()), cudaSuccess);
  EXPECT_EQ(attributes.device, 1);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  allocator->deallocate(memory.get(), 1);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
}

TEST(DeviceAllocatorOfTheDelegate, UsesTheGivenIndexAndRestoresTheDevice) {
  if (!cuda_is_simulated()) {
    GTEST_SKIP() << "needs two GPUs: simulated only";
  }
  IN_FRESH_PROCESS(allocator_second_gpu);
}

void allocator_refused() {
  load_delegate();
  DeviceAllocator* allocator = get_device_allocator(DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  const ScopedLog log;
  set_cuda("oom_every", 1);
  EXPECT_EQ(allocator->allocate(123456, 0).error(), Error::MemoryAllocationFailed);
  EXPECT_TRUE(log.has({"123456"}));
  set_cuda("driver", "none");
  EXPECT_FALSE(allocator->allocate(64, 0).ok());
}

TEST(DeviceAllocatorOfTheDelegate, FailuresAreReported) {
  if (!cuda_is_simulated()) {
    GTEST_SKIP() << "allocations fail on demand in the stand-in only";
  }
  IN_FRESH_PROCESS(allocator_refused);
}

}  // namespace
}  // namespace contract
