#include <atomic>
#include <functional>
#include <thread>

#include "fixture.h"

namespace standins::cuda_tests {
namespace {

void add_one(void* value) { ++*static_cast<std::atomic<int>*>(value); }

class Capture : public Cuda {
 protected:
  // Captures add_one on `stream`, `during` happening in between; answers what ending the capture said.
  cudaError_t capture(cudaStream_t stream, const std::function<void()>& during,
                      cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    EXPECT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    cudaLaunchHostFunc(stream, add_one, &value_);
    during();
    return cudaStreamEndCapture(stream, &graph_);
  }
  void TearDown() override {
    if (graph_ != nullptr) {
      cudaGraphDestroy(graph_);
    }
    Cuda::TearDown();
  }
  std::atomic<int> value_{0};
  cudaGraph_t graph_ = nullptr;
};

TEST_F(Capture, RecordsInsteadOfRunning) {
  NewStream stream;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ASSERT_EQ(capture(stream, [&] { cudaStreamIsCapturing(stream, &status); }), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(value_, 0);
  size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph_, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1u);
  EXPECT_EQ(ledger_of(0).graphs, 1u);
}

TEST_F(Capture, OfThePerThreadStreamWorks) {
  EXPECT_EQ(capture(cudaStreamPerThread, [] {}), cudaSuccess);
}

TEST_F(Capture, OfTheLegacyStreamIsRefused) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed), cudaErrorStreamCaptureUnsupported);
}

struct Forbidden {
  const char* name;
  cudaError_t (*call)(cudaStream_t);
  cudaError_t answer;
};
class ForbiddenInCapture : public Capture, public ::testing::WithParamInterface<Forbidden> {};

TEST_P(ForbiddenInCapture, InvalidatesItAndIsReported) {
  NewStream stream;
  cudaError_t answer = cudaSuccess;
  EXPECT_EQ(capture(stream, [&] { answer = GetParam().call(stream); }), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(answer, GetParam().answer);
  EXPECT_EQ(graph_, nullptr);
  EXPECT_FALSE(only_misuse().empty());
}

const Forbidden kForbidden[] = {
    {"wait", [](cudaStream_t s) { return cudaStreamSynchronize(s); }, cudaErrorStreamCaptureUnsupported},
    {"query", [](cudaStream_t s) { return cudaStreamQuery(s); }, cudaErrorStreamCaptureUnsupported},
    {"device_wait", [](cudaStream_t) { return cudaDeviceSynchronize(); }, cudaErrorStreamCaptureUnsupported},
    {"allocate",
     [](cudaStream_t) {
       void* pointer = nullptr;
       return cudaMalloc(&pointer, 8);
     },
     cudaErrorStreamCaptureUnsupported},
    {"pin",
     [](cudaStream_t) {
       void* pointer = nullptr;
       return cudaMallocHost(&pointer, 8);
     },
     cudaErrorStreamCaptureUnsupported},
    {"free", [](cudaStream_t) { return cudaFree(nullptr); }, cudaErrorStreamCaptureUnsupported},
    {"copy", [](cudaStream_t) { return cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault); },
     cudaErrorStreamCaptureUnsupported},
};
INSTANTIATE_TEST_SUITE_P(Calls, ForbiddenInCapture, ::testing::ValuesIn(kForbidden),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(Capture, PageableCopiesAreForbidden) {
  NewStream stream;
  DeviceFloats memory(1);
  const float source = 1;
  cudaError_t answer = cudaSuccess;
  EXPECT_EQ(
      capture(stream, [&] { answer = cudaMemcpyAsync(memory.data(), &source, 4, cudaMemcpyHostToDevice, stream); }),
      cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(answer, cudaErrorStreamCaptureUnsupported);
}

TEST_F(Capture, OfABlockingStreamForbidsTheLegacyStream) {
  NewStream stream(cudaStreamDefault);
  cudaError_t answer = cudaSuccess;
  EXPECT_EQ(capture(stream, [&] { answer = cudaLaunchHostFunc(nullptr, add_one, &value_); }),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(answer, cudaErrorStreamCaptureImplicit);
}

// Whether cudaMalloc on this or another thread breaks a capture, by its mode.
cudaError_t malloc_and_free() {
  void* pointer = nullptr;
  const cudaError_t error = cudaMalloc(&pointer, 8);
  return error == cudaSuccess ? cudaFree(pointer) : error;
}

TEST_F(Capture, GlobalModeForbidsUnsafeCallsOnEveryThread) {
  NewStream stream;
  cudaError_t answer = cudaSuccess;
  EXPECT_EQ(capture(stream, [&] { std::thread([&] { answer = malloc_and_free(); }).join(); }),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(answer, cudaErrorStreamCaptureUnsupported);
}

TEST_F(Capture, ThreadLocalModeLeavesOtherThreadsAlone) {
  NewStream stream;
  cudaError_t answer = cudaErrorUnknown;
  EXPECT_EQ(
      capture(
          stream, [&] { std::thread([&] { answer = malloc_and_free(); }).join(); }, cudaStreamCaptureModeThreadLocal),
      cudaSuccess);
  EXPECT_EQ(answer, cudaSuccess);
}

TEST_F(Capture, RelaxedModeAllowsUnsafeCalls) {
  NewStream stream;
  EXPECT_EQ(
      capture(stream, [] { EXPECT_EQ(malloc_and_free(), cudaSuccess); }, cudaStreamCaptureModeRelaxed), cudaSuccess);
}

TEST_F(Capture, ARelaxedThreadMayMakeUnsafeCalls) {
  NewStream stream;
  EXPECT_EQ(capture(stream,
                    [] {
                      cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
                      cudaThreadExchangeStreamCaptureMode(&mode);
                      EXPECT_EQ(malloc_and_free(), cudaSuccess);
                      EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
                      cudaThreadExchangeStreamCaptureMode(&mode);
                    }),
            cudaSuccess);
}

TEST_F(Capture, EndsOnlyOnItsThreadAndStream) {
  NewStream stream;
  NewStream other;
  EXPECT_EQ(cudaStreamEndCapture(other, &graph_), cudaErrorIllegalState);
  EXPECT_EQ(capture(stream,
                    [&] {
                      cudaGraph_t graph = nullptr;
                      cudaError_t answer = cudaSuccess;
                      std::thread([&] { answer = cudaStreamEndCapture(stream, &graph); }).join();
                      EXPECT_EQ(answer, cudaErrorStreamCaptureWrongThread);
                      EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
                    }),
            cudaSuccess);
}

TEST_F(Capture, OtherStreamsJoinThroughEventsAndMustComeBack) {
  for (const bool joins : {true, false}) {
    NewStream stream;
    NewStream side;
    cudaEvent_t fork = nullptr;
    cudaEvent_t join = nullptr;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    const cudaError_t answer = capture(stream, [&] {
      cudaEventRecord(fork, stream);
      EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
      cudaLaunchHostFunc(side, add_one, &value_);
      EXPECT_EQ(cudaEventQuery(fork), cudaErrorCapturedEvent);
      cudaEventRecord(join, side);
      if (joins) {
        EXPECT_EQ(cudaStreamWaitEvent(stream, join, 0), cudaSuccess);
      }
    });
    EXPECT_EQ(answer, joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    if (joins) {
      size_t nodes = 0;
      cudaGraphGetNodes(graph_, nullptr, &nodes);
      EXPECT_EQ(nodes, 2u);
      cudaGraphDestroy(graph_);
      graph_ = nullptr;
    }
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
  }
  EXPECT_EQ(value_, 0);
}

TEST_F(Capture, AnEventFromOutsideBreaksIt) {
  NewStream stream;
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  cudaEventRecord(event, cudaStreamPerThread);
  EXPECT_EQ(capture(stream, [&] { EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation); }),
            cudaErrorStreamCaptureInvalidated);
  cudaEventDestroy(event);
}

TEST_F(Capture, AnInjectedFailureOfTheEndLeavesNoGraphAndNoCapture) {
  NewStream stream;
  EXPECT_EQ(capture(stream, [] { standin_cuda_fail("cudaStreamEndCapture", 1, cudaErrorUnknown); }), cudaErrorUnknown);
  EXPECT_EQ(graph_, nullptr);
  EXPECT_EQ(ledger_of(0).graphs, 0u);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

}  // namespace
}  // namespace standins::cuda_tests
