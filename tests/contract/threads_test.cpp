// spec: "Threads and lifetime": one program per thread, at once, sharing buffers or a stream, loading in parallel.
#include <atomic>
#include <chrono>
#include <thread>

#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/fixture.h"
#include "rig/gate.h"

namespace contract {
namespace {

const std::vector<float> kIn = {1, 2, 3, 4};
const std::vector<float> kOut = {2, 3, 4, 5};

// A program of its own with its own output; the input may be shared.
struct Worker {
  explicit Worker(const Buffer& shared_in)
      : loaded(load(one_in_one_out(plans::add_one({4})))),
        out(Place::kDevice, 16),
        x(ScalarType::Float, {4}, shared_in),
        y(ScalarType::Float, {4}, out) {}
  testing::AssertionResult run(cudaStream_t stream) {
    const executorch::extension::cuda::CallerStreamGuard guard(stream);
    const Error error = loaded->execute({&x, &y});
    if (error != Error::Ok) {
      return testing::AssertionFailure() << to_string(error);
    }
    return out.read<float>() == kOut ? testing::AssertionSuccess()
                                     : testing::AssertionFailure() << testing::PrintToString(out.read<float>());
  }
  Loaded loaded;
  Buffer out;
  TensorArg x;
  TensorArg y;
};

class OneProgramPerThread : public ContractTestWith<int> {};

TEST_P(OneProgramPerThread, CallsReallyOverlap) {
  NEEDS_SIMULATED_CUDA("launches in flight are counted by the stand-in only");
  const auto threads = static_cast<uint64_t>(GetParam());
  Buffer in = filled(Place::kDevice, kIn);
  Gate gate;
  std::vector<std::thread> running;
  for (uint64_t i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      OwnedStream stream;
      Worker worker(in);
      ASSERT_EQ(worker.loaded.error, Error::Ok);
      gate.hold(stream.get());  // what the delegate launches is behind it and stays in flight
      EXPECT_TRUE(worker.run(stream.get()));
    });
  }
  const auto deadline = std::chrono::steady_clock::now() + Gate::kPatience / 2;
  while (launches_in_flight() < threads && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(launches_in_flight(), threads);
  gate.open();
  for (std::thread& thread : running) {
    thread.join();
  }
}

TEST_P(OneProgramPerThread, OneThatIsHeldUpHoldsUpNoOther) {
  NEEDS_SIMULATED_CUDA("a host function that waits now and then holds up every stream of a GPU");
  const int threads = GetParam();
  Buffer in = filled(Place::kDevice, kIn);
  OwnedStream held_stream;
  Worker held(in);
  ASSERT_EQ(held.loaded.error, Error::Ok);
  Gate gate;
  gate.hold(held_stream.get());
  std::atomic<bool> held_returned{false};
  std::atomic<int> others_done{0};
  std::thread holder([&] {
    const executorch::extension::cuda::CallerStreamGuard guard(held_stream.get());
    EXPECT_EQ(held.loaded->execute({&held.x, &held.y}), Error::Ok);
    held_returned = true;
  });
  std::vector<std::thread> running;
  for (int i = 1; i < threads; ++i) {
    running.emplace_back([&] {
      OwnedStream stream;
      Worker worker(in);
      for (int n = 0; n < 5; ++n) {
        EXPECT_TRUE(worker.run(stream.get()));
      }
      EXPECT_FALSE(held_returned);
      ++others_done;
    });
  }
  const auto deadline = std::chrono::steady_clock::now() + Gate::kPatience / 2;
  while (others_done < threads - 1 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(others_done, threads - 1);
  EXPECT_FALSE(held_returned);
  gate.open();
  for (std::thread& thread : running) {
    thread.join();
  }
  holder.join();
  EXPECT_EQ(held.out.read<float>(), kOut);
}

TEST_P(OneProgramPerThread, ManyCallsSharingAnInputAreRight) {
  Buffer in = filled(Place::kDevice, kIn);
  std::vector<std::thread> running;
  for (int i = 0; i < GetParam(); ++i) {
    running.emplace_back([&] {
      OwnedStream stream;
      Worker worker(in);
      for (int n = 0; n < 20; ++n) {
        ASSERT_TRUE(worker.run(stream.get()));
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

TEST_P(OneProgramPerThread, SharingAStreamIsRight) {
  Buffer in = filled(Place::kDevice, kIn);
  OwnedStream shared;
  std::vector<std::thread> running;
  for (int i = 0; i < GetParam(); ++i) {
    running.emplace_back([&] {
      Worker worker(in);
      for (int n = 0; n < 20; ++n) {
        ASSERT_TRUE(worker.run(shared.get()));
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

TEST_P(OneProgramPerThread, LoadingAndDestroyingInParallelIsRight) {
  Buffer in = filled(Place::kPageable, kIn);
  std::vector<std::thread> running;
  for (int i = 0; i < GetParam(); ++i) {
    running.emplace_back([&] {
      for (int n = 0; n < 10; ++n) {
        Worker worker(in);
        ASSERT_EQ(worker.loaded.error, Error::Ok);
        ASSERT_TRUE(worker.run(cudaStreamPerThread));
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

TEST_P(OneProgramPerThread, FailuresOfOneLeaveTheOthersRight) {
  Buffer in = filled(Place::kDevice, kIn);
  const ScopedLog log;
  std::vector<std::thread> running;
  for (int i = 0; i < GetParam(); ++i) {
    running.emplace_back([&, i] {
      Worker worker(in);
      for (int n = 0; n < 20; ++n) {
        if (i % 2 == 0) {
          worker.y.set_data(nullptr);
          EXPECT_EQ(worker.loaded->execute({&worker.x, &worker.y}), Error::InvalidArgument);
          worker.y.set_data(worker.out.data());
        }
        ASSERT_TRUE(worker.run(cudaStreamPerThread));
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

INSTANTIATE_TEST_SUITE_P(At, OneProgramPerThread, testing::Values(2, 4),
                         [](const auto& tested) { return std::to_string(tested.param); });

class ProgramsAndThreads : public ContractTest {};

TEST_F(ProgramsAndThreads, OneLockPerLoadedEngine) {
  // Sharing a program is against the runtime's rule; the lock keeps the context from being edited while it runs.
  Buffer in = filled(Place::kDevice, kIn);
  Worker worker(in);
  ASSERT_TRUE(worker.run(cudaStreamPerThread));
  OwnedStream held_stream;
  Gate gate;
  gate.hold(held_stream.get());
  std::thread holder([&] { EXPECT_TRUE(worker.run(held_stream.get())); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the first call is in flight
  std::thread other([&] {
    OwnedStream stream;
    Buffer out(Place::kDevice, 16);
    TensorArg x(ScalarType::Float, {4}, in);
    TensorArg y(ScalarType::Float, {4}, out);
    const executorch::extension::cuda::CallerStreamGuard guard(stream.get());
    EXPECT_EQ(worker.loaded->execute({&x, &y}), Error::Ok);
    EXPECT_TRUE(gate.is_open()) << "the second call did not wait for the first";
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  gate.open();
  holder.join();
  other.join();
}

TEST_F(ProgramsAndThreads, ProgramMovesBetweenThreads) {
  Buffer in = filled(Place::kPageable, kIn);
  Worker worker(in);
  for (int i = 0; i < 4; ++i) {
    std::thread([&] { EXPECT_TRUE(worker.run(cudaStreamPerThread)); }).join();
  }
}

}  // namespace
}  // namespace contract
