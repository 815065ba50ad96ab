#include "fixture.h"

namespace standins::cuda_tests {
namespace {

class Events : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    set("mode", "lazy");
  }
  void TearDown() override {
    for (cudaEvent_t event : {first_, second_}) {
      if (event != nullptr) {
        EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
      }
    }
    Cuda::TearDown();
  }
  cudaEvent_t first_ = nullptr;
  cudaEvent_t second_ = nullptr;
};

void set_seven(void* value) { *static_cast<int*>(value) = 7; }
void add_one(void* value) { ++*static_cast<int*>(value); }

TEST_F(Events, NeverRecordedIsDone) {
  ASSERT_EQ(cudaEventCreate(&first_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(first_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(first_), cudaSuccess);
}

TEST_F(Events, SynchronizeWaitsForWorkUpToTheRecord) {
  NewStream stream;
  int value = 0;
  cudaEventCreateWithFlags(&first_, cudaEventDisableTiming);
  cudaLaunchHostFunc(stream, set_seven, &value);
  ASSERT_EQ(cudaEventRecord(first_, stream), cudaSuccess);
  cudaLaunchHostFunc(stream, add_one, &value);
  EXPECT_EQ(cudaEventQuery(first_), cudaErrorNotReady);
  ASSERT_EQ(cudaEventSynchronize(first_), cudaSuccess);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(cudaEventQuery(first_), cudaSuccess);
}

TEST_F(Events, AnotherStreamWaitsForTheRecord) {
  NewStream producer;
  NewStream consumer;
  int value = 0;
  cudaEventCreate(&first_);
  cudaLaunchHostFunc(producer, set_seven, &value);
  cudaEventRecord(first_, producer);
  ASSERT_EQ(cudaStreamWaitEvent(consumer, first_, 0), cudaSuccess);
  cudaLaunchHostFunc(consumer, add_one, &value);
  cudaStreamSynchronize(consumer);
  EXPECT_EQ(value, 8);
}

TEST_F(Events, ElapsedTimeIsBetweenTwoFinishedRecords) {
  NewStream stream;
  float milliseconds = -1;
  cudaEventCreate(&first_);
  cudaEventCreate(&second_);
  cudaEventRecord(first_, stream);
  cudaEventRecord(second_, stream);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, second_), cudaErrorNotReady);
  cudaStreamSynchronize(stream);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, first_, second_), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(Events, WithoutTimingThereIsNoElapsedTime) {
  float milliseconds = 0;
  cudaEventCreateWithFlags(&first_, cudaEventDisableTiming);
  cudaEventCreate(&second_);
  cudaEventRecord(first_, cudaStreamPerThread);
  cudaEventRecord(second_, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, second_), cudaErrorInvalidResourceHandle);
}

TEST_F(Events, AnEventOfAnotherGpuIsRefused) {
  set("devices", "2");
  cudaEventCreate(&first_);
  cudaSetDevice(1);
  NewStream stream;
  EXPECT_EQ(cudaEventRecord(first_, stream), cudaErrorInvalidResourceHandle);
}

TEST_F(Events, ADestroyedEventIsRefused) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  EXPECT_EQ(ledger_of(0).events, 1u);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace standins::cuda_tests
