// spec: "Threads and lifetime": one program per thread, at once, sharing buffers or a stream, loading in parallel.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/fixture.h"

namespace contract {
namespace {

const std::vector<float> kIn = {1, 2, 3, 4};
const std::vector<float> kOut = {2, 3, 4, 5};
constexpr auto kPatience = std::chrono::seconds(20);

// Work on a stream that ends only when as many have started; counts how many were in flight at a time.
class Meeting {
 public:
  explicit Meeting(int wanted) : wanted_(wanted) {}

  // Queues a participant ahead of what follows on `stream`.
  void join_on(cudaStream_t stream) {
    EXPECT_EQ(cudaLaunchHostFunc(stream, &Meeting::arrive, this), cudaSuccess);
  }
  int most_in_flight() const { return most_; }

 private:
  static void CUDART_CB arrive(void* self) { static_cast<Meeting*>(self)->wait(); }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    most_ = std::max(most_, ++in_flight_);
    all_here_.notify_all();
    all_here_.wait_for(lock, kPatience, [&] { return most_ >= wanted_; });
    --in_flight_;
  }

  const int wanted_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int in_flight_ = 0;
  int most_ = 0;
};

struct Stream {
  Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess); }
  ~Stream() { (void)cudaStreamDestroy(stream); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t stream = nullptr;
};

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
    return out.read<float>() == kOut
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << testing::PrintToString(out.read<float>());
  }
  Loaded loaded;
  Buffer out;
  TensorArg x;
  TensorArg y;
};

class OneProgramPerThread : public ContractTestWith<int> {};

TEST_P(OneProgramPerThread, CallsReallyOverlap) {
  NEEDS_SIMULATED_CUDA("its host functions may all share one thread, so they cannot wait for each other");
  const int threads = GetParam();
  Buffer in = filled(Place::kDevice, kIn);
  Meeting meeting(threads);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      Stream stream;
      Worker worker(in);
      ASSERT_EQ(worker.loaded.error, Error::Ok);
      meeting.join_on(stream.stream);  // the delegate's work is behind it, so the call is in flight
      EXPECT_TRUE(worker.run(stream.stream));
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  EXPECT_EQ(meeting.most_in_flight(), threads);
}

TEST_P(OneProgramPerThread, OneThatIsHeldUpHoldsUpNoOther) {
  const int threads = GetParam();
  Buffer in = filled(Place::kDevice, kIn);
  Stream held_stream;
  Worker held(in);
  ASSERT_EQ(held.loaded.error, Error::Ok);
  Worker warm_up(in);  // lazy initialisation of a real CUDA runtime may wait for all streams
  ASSERT_TRUE(warm_up.run(cudaStreamPerThread));
  std::atomic<int> others_done{0};
  struct Gate {
    std::atomic<int>* done;
    int wanted;
    static void CUDART_CB wait(void* self) {
      const auto* gate = static_cast<Gate*>(self);
      const auto deadline = std::chrono::steady_clock::now() + kPatience;
      while (*gate->done < gate->wanted && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  } gate{&others_done, threads - 1};
  ASSERT_EQ(cudaLaunchHostFunc(held_stream.stream, &Gate::wait, &gate), cudaSuccess);
  std::atomic<bool> held_returned{false};
  std::thread holder([&] {
    const executorch::extension::cuda::CallerStreamGuard guard(held_stream.stream);
    EXPECT_EQ(held.loaded->execute({&held.x, &held.y}), Error::Ok);
    held_returned = true;
  });
  std::vector<std::thread> running;
  for (int i = 1; i < threads; ++i) {
    running.emplace_back([&] {
      Stream stream;
      Worker worker(in);
      const executorch::extension::cuda::CallerStreamGuard guard(stream.stream);
      for (int n = 0; n < 5; ++n) {
        EXPECT_EQ(worker.loaded->execute({&worker.x, &worker.y}), Error::Ok);
      }
      EXPECT_FALSE(held_returned);
      ++others_done;
    });
  }
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
      Stream stream;
      Worker worker(in);
      for (int n = 0; n < 20; ++n) {
        ASSERT_TRUE(worker.run(stream.stream));
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
}

TEST_P(OneProgramPerThread, SharingAStreamIsRight) {
  Buffer in = filled(Place::kDevice, kIn);
  Stream shared;
  std::vector<std::thread> running;
  for (int i = 0; i < GetParam(); ++i) {
    running.emplace_back([&] {
      Worker worker(in);
      for (int n = 0; n < 20; ++n) {
        ASSERT_TRUE(worker.run(shared.stream));
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
  // Sharing a program is against the runtime's rule; the lock keeps the context from being edited while it runs,
  // which the stand-in would report.
  Buffer in = filled(Place::kDevice, kIn);
  Worker worker(in);
  std::vector<std::thread> running;
  for (int i = 0; i < 2; ++i) {
    running.emplace_back([&] {
      Buffer out(Place::kDevice, 16);
      TensorArg x(ScalarType::Float, {4}, in);
      TensorArg y(ScalarType::Float, {4}, out);
      for (int n = 0; n < 50; ++n) {
        ASSERT_EQ(worker.loaded->execute({&x, &y}), Error::Ok);
        ASSERT_EQ(out.read<float>(), kOut);
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
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
