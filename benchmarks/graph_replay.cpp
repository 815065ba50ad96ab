// CUDA graph replay (cuda_graph=true) against ordinary launches for engines of 1, 50 and 500 kernels; the results must
// be equal bit for bit, or the program ends with 1. In the rows `limit` is the ordinary launch.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "contract/rig/blob.h"
#include "contract/rig/buffer.h"
#include "contract/rig/plans.h"
#include "contract/rig/program.h"
#include "duel.h"

namespace {

using contract::Buffer;
using contract::Place;

// Small, so that launching is what takes the time.
constexpr int kCount = 32;

std::string plan_of(int kernels) {
  standins::Plan plan;
  plan.input("x", standins::DType::kFloat32, {kCount}).output("y", standins::DType::kFloat32, {kCount});
  plan.increments("x", "y", kernels);
  plan.launches_per_node = true;
  return standins::write_plan(plan);
}

nlohmann::json measure(int kernels, int rounds, int batch) {
  const std::string blob = contract::one_in_one_out(plan_of(kernels));
  contract::LoadRequest with_graph(blob);
  with_graph.options.push_back(contract::option("cuda_graph", true));
  auto graph = contract::load(with_graph);
  auto plain = contract::load({blob});
  if (graph.program == nullptr || plain.program == nullptr) throw std::runtime_error("the program was refused");
  std::vector<float> values(kCount);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7.0f;
  Buffer in = contract::filled(Place::kDevice, values);
  Buffer graph_out(Place::kDevice, values.size() * sizeof(float));
  Buffer plain_out(Place::kDevice, values.size() * sizeof(float));
  contract::TensorArg x(contract::ScalarType::Float, {kCount}, in);
  contract::TensorArg graph_y(contract::ScalarType::Float, {kCount}, graph_out);
  contract::TensorArg plain_y(contract::ScalarType::Float, {kCount}, plain_out);
  contract::Call graph_call({&x, &graph_y}), plain_call({&x, &plain_y});
  const auto run = [](contract::Loaded& loaded, contract::Call& call) {
    if (loaded->execute(call) != contract::Error::Ok) throw std::runtime_error("execute failed");
  };
  const auto duel =
      benchmarks::run_duel([&] { run(graph, graph_call); }, [&] { run(plain, plain_call); }, rounds, batch);
  const auto replayed = graph_out.read<float>(), launched = plain_out.read<float>();
  if (std::memcmp(replayed.data(), launched.data(), replayed.size() * sizeof(float)) != 0) {
    throw std::runtime_error("replay and launch differ at " + std::to_string(kernels) + " kernels");
  }
  return benchmarks::row("graph replay against launch, " + std::to_string(kernels) + " kernels", duel);
}

}  // namespace

int main() {
  try {
    nlohmann::json rows = nlohmann::json::array();
    for (const int kernels : {1, 50, 500}) rows.push_back(measure(kernels, 51, kernels > 100 ? 5 : 20));
    std::printf("%s\n", rows.dump(1).c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "graph_replay: %s\n", problem.what());
    return 1;
  }
}
