#include <cstring>
#include <thread>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

class Devices : public Cuda {};

TEST_F(Devices, CurrentDeviceBelongsToTheThread) {
  set("devices", "3");
  ASSERT_EQ(cudaSetDevice(2), cudaSuccess);
  int seen = -1;
  std::thread([&] { cudaGetDevice(&seen); }).join();
  EXPECT_EQ(seen, 0);
  cudaGetDevice(&seen);
  EXPECT_EQ(seen, 2);
}

TEST_F(Devices, UnknownDevicesAreRefused) {
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  int device = -1;
  cudaGetDevice(&device);
  EXPECT_EQ(device, 0);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrIntegrated, 1), cudaErrorInvalidDevice);
}

TEST_F(Devices, WithoutADriverEveryCallSaysSo) {
  set("driver", "none");
  int count = -1;
  void* pointer = nullptr;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorInsufficientDriver);
  EXPECT_EQ(cudaSetDevice(0), cudaErrorInsufficientDriver);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInsufficientDriver);
  int version = -1;
  EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 0);
  EXPECT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, CUDART_VERSION);
}

TEST_F(Devices, WithoutADeviceEveryCallSaysSo) {
  set("devices", "0");
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorNoDevice);
}

TEST_F(Devices, PropertiesSayWhatThisIs) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_NE(std::strstr(properties.name, "stand-in"), nullptr);
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  EXPECT_EQ(properties.major, major);
}

TEST_F(Devices, EveryPairOfDevicesCouldBePeers) {
  set("devices", "2");
  int can = 0;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice) << "itself";
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

TEST_F(Devices, LastErrorIsTakenOnceAndPerThread) {
  cudaSetDevice(7);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = cudaGetLastError(); }).join();
  EXPECT_EQ(elsewhere, cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Devices, ErrorsHaveNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorFileNotFound), "file not found");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

}  // namespace
}  // namespace standins::cuda_tests
