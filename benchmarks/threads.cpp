// Calls per second of one program on each of N threads, against N times one thread.
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

namespace {

using contract::Buffer;
using contract::Place;

double calls_per_second(int threads, int calls) {
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::atomic<bool> failed{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      auto loaded = contract::load({contract::one_in_one_out(contract::plans::add_one({1024}))});
      Buffer in = contract::filled(Place::kDevice, std::vector<float>(1024, 1.0f));
      Buffer out(Place::kDevice, 4096);
      contract::TensorArg x(contract::ScalarType::Float, {1024}, in), y(contract::ScalarType::Float, {1024}, out);
      contract::Call call({&x, &y});
      failed = failed || loaded.program == nullptr || loaded->execute(call) != contract::Error::Ok;
      ++ready;
      while (!go) std::this_thread::yield();
      for (int n = 0; n < calls && !failed; ++n) {
        if (loaded->execute(call) != contract::Error::Ok) failed = true;
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
    const double one = calls_per_second(1, 20000);
    for (const int threads : {2, 4, 8}) {
      const double many = calls_per_second(threads, 20000);
      rows.push_back({{"name", "calls per second, " + std::to_string(threads) + " programs on as many threads"},
                      {"ours", many}, {"peer", nullptr}, {"limit", one * threads}, {"unit", "calls/s"},
                      {"ratio", many / (one * threads)}});
    }
    std::printf("%s\n", rows.dump(1).c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "threads: %s\n", problem.what());
    return 1;
  }
}
