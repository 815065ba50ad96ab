// Host buffers through the delegate against hand-written copies: pinned memory copied directly, pageable memory by the
// better of CUDA's own pageable copy and one through a pinned block. 4 kB to 256 MB; the engine copies x to y.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "contract/rig/blob.h"
#include "contract/rig/buffer.h"
#include "contract/rig/plans.h"
#include "contract/rig/program.h"
#include "duel.h"
#include "engine_by_hand.h"

namespace {

using benchmarks::EngineByHand;
using contract::Buffer;
using contract::Place;

enum class Way { kDirect, kThroughPinned };

struct ByHand {
  EngineByHand& engine;
  Buffer &device_in, &device_out, &pinned_in, &pinned_out;
  void* host_in;
  void* host_out;
  size_t bytes;

  void run(Way way) const {
    const bool pinned = way == Way::kThroughPinned;
    if (pinned) std::memcpy(pinned_in.data(), host_in, bytes);
    cudaMemcpyAsync(device_in.data(), pinned ? pinned_in.data() : host_in, bytes, cudaMemcpyHostToDevice,
                    cudaStreamPerThread);
    engine.enqueue();
    cudaMemcpyAsync(pinned ? pinned_out.data() : host_out, device_out.data(), bytes, cudaMemcpyDeviceToHost,
                    cudaStreamPerThread);
    EngineByHand::wait();
    if (pinned) std::memcpy(host_out, pinned_out.data(), bytes);
  }
};

nlohmann::json measure(size_t bytes, Place place, int rounds, int batch) {
  const auto count = static_cast<int64_t>(bytes / sizeof(float));
  const std::string plan = contract::plans::copy(contract::DataType::kFloat32, {count});
  Buffer in(place, bytes), out(place, bytes);
  Buffer device_in(Place::kDevice, bytes), device_out(Place::kDevice, bytes);
  Buffer pinned_in(Place::kPinned, bytes), pinned_out(Place::kPinned, bytes);
  std::memset(in.data(), 1, bytes);
  std::memset(out.data(), 0, bytes);
  auto loaded = contract::load({contract::one_in_one_out(plan)});
  if (loaded.program == nullptr) throw std::runtime_error("the delegate refused the program");
  contract::TensorArg x(contract::ScalarType::Float, {static_cast<int32_t>(count)}, in);
  contract::TensorArg y(contract::ScalarType::Float, {static_cast<int32_t>(count)}, out);
  contract::Call call({&x, &y});
  EngineByHand engine(plan);
  engine.bind("x", device_in.data());
  engine.bind("y", device_out.data());
  const ByHand hand{engine, device_in, device_out, pinned_in, pinned_out, in.data(), out.data(), bytes};
  const auto ours = [&] {
    if (loaded->execute(call) != contract::Error::Ok) throw std::runtime_error("execute failed");
  };
  auto best = benchmarks::run_duel(ours, [&] { hand.run(Way::kDirect); }, rounds, batch);
  if (place == Place::kPageable) {
    const auto other = benchmarks::run_duel(ours, [&] { hand.run(Way::kThroughPinned); }, rounds, batch);
    if (other.limit_us < best.limit_us) best = other;
  }
  const std::string size =
      bytes < (1u << 20) ? std::to_string(bytes >> 10) + " kB" : std::to_string(bytes >> 20) + " MB";
  return benchmarks::row("staging " + size + ", " + contract::name_of(place), best);
}

}  // namespace

int main() {
  try {
    nlohmann::json rows = nlohmann::json::array();
    for (const Place place : {Place::kPinned, Place::kPageable}) {
      for (size_t bytes = 4096; bytes <= (256u << 20); bytes *= 4) {
        const int rounds = bytes < (4u << 20) ? 31 : 9;
        rows.push_back(measure(bytes, place, rounds, bytes < (1u << 20) ? 20 : 1));
      }
    }
    std::printf("%s\n", rows.dump(1).c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "staging: %s\n", problem.what());
    return 1;
  }
}
