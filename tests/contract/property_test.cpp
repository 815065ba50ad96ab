// spec: property tests: the result of execute is the same with host, device, managed buffers, with any profile, with
// or without CUDA graphs.
#include <random>

#include "rig/fixture.h"

namespace contract {
namespace {

constexpr int32_t kMaxRows = 16;
constexpr size_t kCapacity = kMaxRows * 2;

class SameResult : public ContractTestWith<uint32_t> {
 protected:
  static Loaded program(bool graph) {
    LoadRequest request(
        one_in_one_out(plans::add_one({-1, 2}, {{{1, 2}, {2, 2}, {4, 2}}, {{3, 2}, {8, 2}, {kMaxRows, 2}}})));
    request.options = {option("cuda_graph", graph)};
    return load(request);
  }
};

TEST_P(SameResult, WhateverTheBuffersProfileAndGraphs) {
  std::mt19937 random(GetParam());
  const auto below = [&](uint32_t bound) { return random() % bound; };
  Loaded programs[] = {program(false), program(true)};
  ASSERT_EQ(programs[0].error, Error::Ok);
  ASSERT_EQ(programs[1].error, Error::Ok);
  std::vector<Buffer> memory;
  for (const Place place : kAllPlaces) {
    for (const size_t offset : {0, 16}) {
      memory.emplace_back(place, kCapacity * sizeof(float), 0, offset);
      memory.emplace_back(place, kCapacity * sizeof(float), 0, offset);
    }
  }
  const ScopedLog log;  // the alignment notices
  int32_t rows = 1;
  for (int call = 0; call < 60; ++call) {
    if (below(3) == 0) {  // otherwise stay, so that graphs are captured and replayed
      rows = 1 + static_cast<int32_t>(below(kMaxRows));
    }
    const size_t count = static_cast<size_t>(rows) * 2;
    std::vector<float> values(count);
    std::vector<float> want(count);
    for (size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(below(1000)) / 8;
      want[i] = values[i] + 1;
    }
    const size_t from = below(static_cast<uint32_t>(memory.size()));
    const size_t to = (from + 1 + below(static_cast<uint32_t>(memory.size()) - 1)) % memory.size();
    TensorArg x(ScalarType::Float, {rows, 2}, memory[from]);
    for (Loaded& loaded : programs) {
      memory[from].write(values);
      memory[to].write(std::vector<float>(kCapacity, -1));
      TensorArg y(ScalarType::Float, {kMaxRows, 2}, memory[to]);
      ASSERT_EQ(loaded->execute({&x, &y}), Error::Ok) << "call " << call << "\n" << log.text();
      ASSERT_EQ(y.sizes(), (std::vector<int32_t>{rows, 2}));
      ASSERT_EQ(memory[to].read<float>(count), want)
          << "call " << call << " from " << name_of(memory[from].place()) << " to " << name_of(memory[to].place());
      ASSERT_EQ(memory[to].read<float>(),
                [&] {
                  auto whole = want;
                  whole.resize(kCapacity, -1);
                  return whole;
                }())
          << "call " << call << " wrote past its output";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seed, SameResult, testing::Range(1U, 6U));

}  // namespace
}  // namespace contract
