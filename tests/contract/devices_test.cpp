// spec: execute steps 1 and 4 on two GPUs; case 8. Device chosen, restored, and buffers of the wrong GPU refused.
#include <thread>

#include "rig/add_one.h"
#include "rig/fixture.h"

namespace contract {
namespace {

int current_device() {
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  return device;
}

class TwoGpus : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    set_cuda("devices", 2);
    int count = 0;
    ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    if (count < 2) {
      GTEST_SKIP() << "needs two GPUs, this machine has " << count;
    }
  }

  static std::string blob_for(int device) {
    BlobText text = one_in_one_out_text();
    text.device_id = device;
    return make_blob(text, plans::add_one({4}));
  }

  // Runs x + 1 on GPU `engine` with buffers on `input` and `output`.
  Error run(int engine, int input, int output) {
    AddOne add(blob_for(engine), filled(Place::kDevice, kIn, input), Buffer(Place::kDevice, 16, output));
    const Error error = add.run();
    if (error == Error::Ok) {
      EXPECT_EQ(add.out.read<float>(), kOut);
    }
    return error;
  }

  // Lets GPU `from` use memory of GPU `to` for the rest of the test.
  void map_peer(int from, int to) {
    ASSERT_EQ(cudaSetDevice(from), cudaSuccess);
    ASSERT_EQ(cudaDeviceEnablePeerAccess(to, 0), cudaSuccess);
    mapped_.emplace_back(from, to);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }

  void TearDown() override {
    for (const auto& [from, to] : mapped_) {
      (void)cudaSetDevice(from);
      (void)cudaDeviceDisablePeerAccess(to);
    }
    (void)cudaSetDevice(0);
    ContractTest::TearDown();
  }

 private:
  std::vector<std::pair<int, int>> mapped_;
};

TEST_F(TwoGpus, EachEngineRunsOnItsOwn) {
  EXPECT_EQ(run(0, 0, 0), Error::Ok);
  EXPECT_EQ(run(1, 1, 1), Error::Ok);
}

TEST_F(TwoGpus, MemoryOfAnEngineIsOnItsGpuOnly) {
  NEEDS_SIMULATED_CUDA("live objects are counted by the stand-in only");
  const Live other_before = live(0);
  const Live own_before = live(1);
  AddOne add(blob_for(1), Place::kPageable, Place::kPageable);
  ASSERT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
  EXPECT_EQ(live(0).device_allocations, other_before.device_allocations);
  EXPECT_GT(live(1).device_allocations, own_before.device_allocations);
}

TEST_F(TwoGpus, InputOfAnotherGpuIsRefusedByName) {
  const ScopedLog log;
  EXPECT_EQ(run(0, 1, 0), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "GPU 1", "GPU 0", "cudaDeviceEnablePeerAccess"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(TwoGpus, OutputOfAnotherGpuIsRefusedByName) {
  const ScopedLog log;
  EXPECT_EQ(run(1, 1, 0), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": y", "GPU 0", "GPU 1", "cudaDeviceEnablePeerAccess"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(TwoGpus, InputOfAMappedPeerIsUsed) {
  map_peer(0, 1);
  EXPECT_EQ(run(0, 1, 0), Error::Ok);
}

TEST_F(TwoGpus, OutputOfAMappedPeerIsUsed) {
  map_peer(1, 0);
  EXPECT_EQ(run(1, 1, 0), Error::Ok);
}

TEST_F(TwoGpus, MappingTheOtherWayIsNotEnough) {
  map_peer(1, 0);
  const ScopedLog log;
  EXPECT_EQ(run(0, 1, 0), Error::InvalidArgument);
}

TEST_F(TwoGpus, MappingMadeLaterIsHonoured) {
  AddOne add(blob_for(0), filled(Place::kDevice, kIn, 1), Buffer(Place::kDevice, 16, 0));
  const ScopedLog log;
  EXPECT_EQ(add.run(), Error::InvalidArgument);
  map_peer(0, 1);
  EXPECT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_F(TwoGpus, PeerAccessIsNeverEnabledByTheDelegate) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are counted by the stand-in only");
  const ScopedLog log;
  const Calls calls;
  (void)run(0, 1, 0);
  EXPECT_EQ(calls.cuda("cudaDeviceEnablePeerAccess"), 0);
}

// cache_out aliases cache; both positions of the alias on the wrong GPU.
class TwoGpusAliased : public TwoGpus {
 protected:
  Error run_cache(int input, int output) {
    BlobText text = plans::cache_text();
    text.device_id = 0;
    auto loaded = load(make_blob(text, plans::cache()));
    EXPECT_EQ(loaded.error, Error::Ok);
    Buffer step = filled(Place::kDevice, std::vector<float>(4, 1), 0);
    Buffer cache = filled(Place::kDevice, std::vector<float>(4, 0), input);
    Buffer updated(Place::kDevice, 16, output);
    TensorArg a(ScalarType::Float, {4}, step);
    TensorArg b(ScalarType::Float, {4}, cache);
    TensorArg c(ScalarType::Float, {4}, updated);
    const Error error = loaded->execute({&a, &b, &c});
    if (error == Error::Ok) {
      EXPECT_EQ(cache.read<float>(), std::vector<float>(4, 1));
      EXPECT_EQ(updated.read<float>(), std::vector<float>(4, 1));
    }
    return error;
  }
};

TEST_F(TwoGpusAliased, AliasedInputOfAnotherGpuIsRefused) {
  const ScopedLog log;
  EXPECT_EQ(run_cache(1, 0), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": cache", "GPU 1", "GPU 0"}));
}

TEST_F(TwoGpusAliased, AliasedOutputOfAnotherGpuIsRefused) {
  const ScopedLog log;
  EXPECT_EQ(run_cache(0, 1), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": cache_out", "GPU 1", "GPU 0"}));
}

TEST_F(TwoGpusAliased, AliasedInputOfAMappedPeerIsUsed) {
  map_peer(0, 1);
  EXPECT_EQ(run_cache(1, 0), Error::Ok);
}

TEST_F(TwoGpusAliased, AliasedOutputOfAMappedPeerIsUsed) {
  map_peer(0, 1);
  EXPECT_EQ(run_cache(0, 1), Error::Ok);
}

TEST_F(TwoGpus, CurrentDeviceIsRestoredByInitExecuteAndDestroy) {
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  {
    AddOne add(blob_for(1), Place::kPageable, Place::kPageable);
    EXPECT_EQ(current_device(), 0) << "init";
    EXPECT_EQ(add.run(), Error::Ok);
    EXPECT_EQ(current_device(), 0) << "execute";
  }
  EXPECT_EQ(current_device(), 0) << "destroy";
}

TEST_F(TwoGpus, CurrentDeviceIsRestoredOnErrorPathsToo) {
  const ScopedLog log;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  BlobText wrong = one_in_one_out_text();
  wrong.device_id = 1;
  wrong.bindings[0].name = "nothing";
  EXPECT_NE(load(make_blob(wrong, plans::add_one({4}))).error, Error::Ok);
  EXPECT_EQ(current_device(), 0) << "init";
  EXPECT_EQ(run(1, 0, 1), Error::InvalidArgument);
  EXPECT_EQ(current_device(), 0) << "execute";
}

TEST_F(TwoGpus, FreshThreadsReachTheEnginesOwnGpu) {
  auto loaded = load(blob_for(1));
  ASSERT_EQ(loaded.error, Error::Ok);
  std::thread([&] {
    Buffer in = filled(Place::kDevice, kIn, 1);
    Buffer out(Place::kDevice, 16, 1);
    TensorArg x(ScalarType::Float, {4}, in);
    TensorArg y(ScalarType::Float, {4}, out);
    EXPECT_EQ(loaded->execute({&x, &y}), Error::Ok);
    EXPECT_EQ(out.read<float>(), kOut);
    EXPECT_EQ(current_device(), 0) << "a fresh thread's device is 0";
  }).join();
  std::thread([&] {
    loaded.program.reset();
    EXPECT_EQ(current_device(), 0);
  }).join();
}

TEST_F(TwoGpus, ManagedAndHostBuffersWorkOnEither) {
  for (const int device : {0, 1}) {
    auto loaded = load(blob_for(device));
    ASSERT_EQ(loaded.error, Error::Ok);
    for (const Place place : {Place::kPageable, Place::kPinned, Place::kManaged}) {
      Buffer in = filled(place, kIn, 1 - device);
      Buffer out(place, 16, 1 - device);
      TensorArg x(ScalarType::Float, {4}, in);
      TensorArg y(ScalarType::Float, {4}, out);
      EXPECT_EQ(loaded->execute({&x, &y}), Error::Ok) << name_of(place);
      EXPECT_EQ(out.read<float>(), kOut) << name_of(place);
    }
  }
}

TEST_F(TwoGpus, DeviceIdOptionWinsOverTheMetadata) {
  LoadRequest request(blob_for(0));
  request.options = {option("device_id", 1)};
  AddOne add(request, filled(Place::kDevice, kIn, 1), Buffer(Place::kDevice, 16, 1));
  EXPECT_EQ(add.run(), Error::Ok);
  EXPECT_EQ(add.out.read<float>(), kOut);
}

TEST_F(TwoGpus, DeviceIdOptionNamedWhenBuffersStayOnTheTaggedGpu) {
  LoadRequest request(blob_for(0));
  request.compile_specs = {{"target_device", "cuda:0"}};
  request.options = {option("device_id", 1)};
  AddOne add(request, filled(Place::kDevice, kIn, 0), Buffer(Place::kDevice, 16, 0));
  const ScopedLog log;
  EXPECT_EQ(add.run(), Error::InvalidArgument);
  EXPECT_TRUE(log.has({": x", "device_id"}));
}

TEST_F(TwoGpus, OneRuntimePerDevice) {
  NEEDS_SIMULATED_CUDA("TensorRT's calls are counted by the stand-in only");
  const Calls calls;
  {
    auto first = load(blob_for(0));
    auto second = load(blob_for(1));
    auto third = load(blob_for(0));
    auto fourth = load(blob_for(1));
    ASSERT_EQ(fourth.error, Error::Ok);
  }
  EXPECT_LE(calls.tensorrt("createInferRuntime_INTERNAL"), 2);
}

TEST_F(TwoGpus, DeviceThatIsNotThereIsRefused) {
  const ScopedLog log;
  EXPECT_EQ(load(blob_for(7)).error, Error::NotSupported);
  EXPECT_TRUE(log.has({"7", "2"}));
}

}  // namespace
}  // namespace contract
