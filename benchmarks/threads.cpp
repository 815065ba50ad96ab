// Calls per second of one program on each of N threads, through the delegate and by hand.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "contract/rig/blob.h"
#include "contract/rig/buffer.h"
#include "contract/rig/plans.h"
#include "contract/rig/program.h"
#include "engine_by_hand.h"

namespace {

using contract::Buffer;
using contract::Place;

// One engine on a thread of its own, through the delegate or by hand.
class Worker {
 public:
  Worker(bool is_by_hand, const std::string& plan)
      : in_(contract::filled(Place::kDevice, std::vector<float>(kCount, 1.0f))),
        out_(Place::kDevice, kCount * 4),
        x_(contract::ScalarType::Float, {kCount}, in_),
        y_(contract::ScalarType::Float, {kCount}, out_),
        call_({&x_, &y_}) {
    if (is_by_hand) {
      engine_ = std::make_unique<benchmarks::EngineByHand>(plan);
      engine_->bind("x", in_.data());
      engine_->bind("y", out_.data());
    } else {
      loaded_ = contract::load({contract::one_in_one_out(plan)});
      if (loaded_.program == nullptr) throw std::runtime_error("the delegate refused the program");
    }
  }

  void run() {
    if (engine_ != nullptr) {
      engine_->enqueue();
      benchmarks::EngineByHand::wait();
    } else if (loaded_->execute(call_) != contract::Error::Ok) {
      throw std::runtime_error("execute failed");
    }
  }

 private:
  static constexpr int kCount = 1024;
  Buffer in_, out_;
  contract::TensorArg x_, y_;
  contract::Call call_;
  contract::Loaded loaded_{contract::Error::Ok, nullptr, false};
  std::unique_ptr<benchmarks::EngineByHand> engine_;
};

double calls_per_second(bool is_by_hand, int threads, int calls) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::atomic<bool> failed{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      try {
        Worker worker(is_by_hand, contract::plans::add_one({1024}));
        worker.run();
        ++ready;
        while (!go) std::this_thread::yield();
        for (int n = 0; n < calls; ++n) worker.run();
      } catch (const std::exception& problem) {
        std::fprintf(stderr, "threads: %s\n", problem.what());
        failed = true;
        ++ready;
      }
    });
  }
  while (ready != threads) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  go = true;
  for (auto& worker : workers) worker.join();
  if (failed) throw std::runtime_error("execute failed");
  return threads * calls / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  try {
    nlohmann::json rows = nlohmann::json::array();
    for (const int threads : {1, 2, 4, 8}) {
      const double ours = calls_per_second(false, threads, 20000), limit = calls_per_second(true, threads, 20000);
      rows.push_back({{"name", "calls per second, programs on as many threads: " + std::to_string(threads)},
                      {"ours", ours},
                      {"peer", nullptr},
                      {"limit", limit},
                      {"unit", "calls/s"},
                      {"ratio", ours / limit}});
    }
    std::printf("%s\n", rows.dump(1).c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "threads: %s\n", problem.what());
    return 1;
  }
}
