#include <atomic>
#include <chrono>
#include <thread>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

class Streams : public Cuda, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    set("mode", GetParam());
  }
};
class LateStreams : public Streams {};
class StreamModes : public Cuda {};

void append_one(void* list) { static_cast<std::vector<int>*>(list)->push_back(1); }
void append_two(void* list) { static_cast<std::vector<int>*>(list)->push_back(2); }
void count_up(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

TEST_P(Streams, RunsWorkInOrder) {
  NewStream stream;
  std::vector<int> order;
  ASSERT_EQ(cudaLaunchHostFunc(stream, append_one, &order), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream, append_two, &order), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_P(Streams, PollingEnds) {
  NewStream stream;
  std::atomic<int> done{0};
  cudaLaunchHostFunc(stream, count_up, &done);
  cudaLaunchHostFunc(stream, count_up, &done);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  EXPECT_EQ(done, 2);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "not ready is no error";
}

TEST_P(Streams, DestroyingLosesNoWork) {
  std::atomic<int> done{0};
  {
    NewStream stream;
    cudaLaunchHostFunc(stream, count_up, &done);
  }
  standin_cuda_drain();
  while (done == 0) {
  }
  EXPECT_EQ(done, 1);
}

TEST_P(Streams, DeviceSynchronizeWaitsForAll) {
  NewStream first;
  NewStream second;
  std::atomic<int> done{0};
  cudaLaunchHostFunc(first, count_up, &done);
  cudaLaunchHostFunc(second, count_up, &done);
  cudaLaunchHostFunc(cudaStreamPerThread, count_up, &done);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(done, 3);
}

TEST_P(Streams, WorkQueuedByManyThreadsAllRuns) {
  NewStream stream;
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        cudaLaunchHostFunc(stream, count_up, &done);
        cudaLaunchHostFunc(cudaStreamPerThread, count_up, &done);
      }
      EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  cudaStreamSynchronize(stream);
  EXPECT_EQ(done, 400);
}

TEST_P(Streams, CallbacksRunEvenAfterAFault) {
  set("devices", "1");
  NewStream stream;
  int seen = 0;
  standin_cuda_queue_fault(stream, cudaErrorLaunchFailure);
  cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t error, void* out) { *static_cast<int*>(out) = error; }, &seen, 0);
  cudaStreamSynchronize(stream);
  if (GetParam() != std::string("immediate")) {
    EXPECT_EQ(seen, cudaErrorLaunchFailure);
  }
}

TEST_P(Streams, AThreadsDefaultStreamEndsWithTheThread) {
  std::atomic<int> done{0};
  std::thread([&] { cudaLaunchHostFunc(cudaStreamPerThread, count_up, &done); }).join();
  while (done == 0) {
    standin_cuda_drain();
  }
  EXPECT_EQ(done, 1);
}

INSTANTIATE_TEST_SUITE_P(EveryMode, Streams, ::testing::Values("threaded", "lazy", "immediate"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(LateStreams, NothingRunsBeforeSomethingWaits) {
  set("delay_us", "5000000");
  DeviceFloats memory(1);
  float out = 1;
  cudaMemsetAsync(memory.data(), 0, 4, cudaStreamPerThread);
  cudaMemcpyAsync(&out, memory.data(), 4, cudaMemcpyDeviceToHost, cudaStreamPerThread);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(standin_cuda_pending(cudaStreamPerThread), 2u);
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(out, 0);
}

INSTANTIATE_TEST_SUITE_P(LateModes, LateStreams, ::testing::Values("threaded", "lazy"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(StreamModes, ThreadedWorkRunsByItselfAfterTheDelay) {
  set("delay_us", "1000");
  std::atomic<int> done{0};
  cudaLaunchHostFunc(cudaStreamPerThread, count_up, &done);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (done == 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(done, 1);
}

TEST_F(StreamModes, ImmediateWorkIsDoneWhenTheCallReturns) {
  set("mode", "immediate");
  std::atomic<int> done{0};
  cudaLaunchHostFunc(cudaStreamPerThread, count_up, &done);
  EXPECT_EQ(done, 1);
}

TEST_F(StreamModes, BusyStreamsAreCountedTogether) {
  set("mode", "lazy");
  NewStream first;
  NewStream second;
  std::atomic<int> done{0};
  cudaLaunchHostFunc(first, count_up, &done);
  cudaStreamSynchronize(first);
  EXPECT_EQ(standin_cuda_peak_busy_streams(), 1u);
  cudaLaunchHostFunc(first, count_up, &done);
  cudaLaunchHostFunc(second, count_up, &done);
  EXPECT_EQ(standin_cuda_pending(nullptr), 2u);
  standin_cuda_drain();
  EXPECT_EQ(standin_cuda_peak_busy_streams(), 2u);
}

TEST_F(StreamModes, ADestroyedStreamIsRefused) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  EXPECT_EQ(ledger_of(0).streams, 1u);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(ledger_of(0).streams, 0u);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamModes, AStreamKnowsItsDeviceFlagsAndPriority) {
  set("devices", "2");
  cudaSetDevice(1);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -3), cudaSuccess);
  cudaSetDevice(0);
  int device = -1;
  int priority = 0;
  unsigned flags = 0;
  unsigned long long id = 0;
  unsigned long long other_id = 0;
  EXPECT_EQ(cudaStreamGetDevice(stream, &device), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(stream, &id), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId(cudaStreamPerThread, &other_id), cudaSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(priority, -3);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  EXPECT_NE(id, other_id);
  cudaStreamDestroy(stream);
}

TEST_F(StreamModes, UnknownFlagsAreRefused) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 0x40), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace standins::cuda_tests
