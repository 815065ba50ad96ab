// Host time of one execute against the same engine run by hand: 1, 2, 8 and 32 inputs, device- and host-resident,
// shapes that stay and shapes that change with every call. Prints rows as JSON.
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

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
using contract::ScalarType;
using contract::TensorArg;

constexpr int kRows = 8;
constexpr size_t kRowBytes = 4 * sizeof(float);

// y = x0 + x1 + ... over [rows, 4], rows dynamic.
std::string plan_of(int inputs) {
  standins::Plan plan;
  std::map<std::string, standins::ShapeRange> ranges;
  for (int i = 0; i < inputs; ++i) {
    const std::string name = "x" + std::to_string(i);
    plan.input(name, standins::DType::kFloat32, {-1, 4});
    ranges[name] = {{1, 4}, {kRows, 4}, {kRows, 4}};
  }
  plan.output("y", standins::DType::kFloat32, {-1, 4});
  std::string sum = "x0";
  for (int i = 1; i < inputs; ++i) {
    const std::string next = i + 1 == inputs ? "y" : "sum" + std::to_string(i);
    plan.node("add", {sum, "x" + std::to_string(i)}, next);
    sum = next;
  }
  if (inputs == 1) plan.node("increment", {"x0"}, "y", {1});
  plan.profile(ranges);
  return standins::write_plan(plan);
}

struct Side {
  std::vector<std::unique_ptr<Buffer>> buffers;  // inputs, then the output
  Side(Place place, int inputs) {
    for (int i = 0; i <= inputs; ++i) buffers.push_back(std::make_unique<Buffer>(place, kRows * kRowBytes));
  }
};

// By hand over host buffers: copies in, launch, copy out, one wait.
void run_by_hand(EngineByHand& engine, const Side& device, const Side* host, size_t bytes) {
  const size_t output = device.buffers.size() - 1;
  if (host != nullptr) {
    for (size_t i = 0; i < output; ++i) {
      cudaMemcpyAsync(device.buffers[i]->data(), host->buffers[i]->data(), bytes, cudaMemcpyHostToDevice,
                      cudaStreamPerThread);
    }
  }
  engine.enqueue();
  if (host != nullptr) {
    cudaMemcpyAsync(host->buffers[output]->data(), device.buffers[output]->data(), bytes, cudaMemcpyDeviceToHost,
                    cudaStreamPerThread);
  }
  EngineByHand::wait();
}

nlohmann::json measure(int inputs, Place place, bool changing, int rounds, int batch) {
  const std::string plan = plan_of(inputs);
  const Side device(Place::kDevice, inputs);
  const Side host(place, inputs);
  const bool on_host = place != Place::kDevice;

  auto loaded = contract::load({contract::many_in_one_out(inputs, plan)});
  if (loaded.program == nullptr) throw std::runtime_error("the delegate refused the program");
  std::vector<std::unique_ptr<TensorArg>> tensors;
  std::vector<TensorArg*> arguments;
  for (const auto& buffer : host.buffers) {
    tensors.push_back(std::make_unique<TensorArg>(ScalarType::Float, std::vector<int32_t>{kRows, 4}, *buffer));
    arguments.push_back(tensors.back().get());
  }
  contract::Call call(arguments);

  EngineByHand engine(plan);
  std::vector<std::string> names;
  for (int i = 0; i < inputs; ++i) names.push_back("x" + std::to_string(i));
  for (int i = 0; i < inputs; ++i) {
    engine.set_shape(names[static_cast<size_t>(i)].c_str(), {kRows, 4});
    engine.bind(names[static_cast<size_t>(i)].c_str(), device.buffers[static_cast<size_t>(i)]->data());
  }
  engine.bind("y", device.buffers.back()->data());

  int our_rows = kRows, hand_rows = kRows;
  const auto ours = [&] {
    if (changing) {
      our_rows = our_rows == kRows ? kRows - 1 : kRows;
      for (int i = 0; i < inputs; ++i) tensors[static_cast<size_t>(i)]->resize({our_rows, 4});
    }
    if (loaded->execute(call) != contract::Error::Ok) throw std::runtime_error("execute failed");
  };
  const auto by_hand = [&] {
    if (changing) {
      hand_rows = hand_rows == kRows ? kRows - 1 : kRows;
      for (const auto& name : names) engine.set_shape(name.c_str(), {hand_rows, 4});
    }
    run_by_hand(engine, device, on_host ? &host : nullptr, static_cast<size_t>(hand_rows) * kRowBytes);
  };
  const std::string name = "execute, " + std::to_string(inputs) + (inputs == 1 ? " input, " : " inputs, ") +
                           contract::name_of(place) + (changing ? ", changing shapes" : ", static shapes");
  return benchmarks::row(name, benchmarks::run_duel(ours, by_hand, rounds, batch));
}

}  // namespace

int main() {
  try {
    nlohmann::json rows = nlohmann::json::array();
    for (const bool changing : {false, true}) {
      for (const Place place : {Place::kDevice, Place::kPageable}) {
        for (const int inputs : {1, 2, 8, 32}) rows.push_back(measure(inputs, place, changing, 51, 100));
      }
    }
    std::printf("%s\n", rows.dump(1).c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "execute_overhead: %s\n", problem.what());
    return 1;
  }
}
