#include "scenarios.h"

#include <algorithm>

#include <executorch_backend_tensorrt/caller_stream.h>

#include "rig/plans.h"
#include "rig/tensor.h"

namespace faults {
namespace {

using contract::Buffer;
using contract::LoadRequest;
using contract::option;
using contract::Place;
using contract::ScalarType;
using contract::TensorArg;
namespace plans = contract::plans;

constexpr float kSpoilt = -77;
constexpr size_t kRoom = 64;  // bytes of each buffer

struct Where {
  Place input = Place::kDevice;
  Place output = Place::kDevice;
  size_t offset = 0;  // bytes past an aligned address
};

// y = x + 1, one shape a call; the last one stays.
class AddOne : public Session {
 public:
  AddOne(Where where, std::vector<std::vector<int32_t>> shapes)
      : input_(where.input, kRoom, 0, where.offset),
        output_(where.output, kRoom, 0, where.offset),
        shapes_(std::move(shapes)) {}

  void prepare(int call) override {
    const size_t count = count_of(shape(call));
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(10 * call) + static_cast<float>(i);
    }
    input_.write(values);
    output_.write(std::vector<float>(kRoom / sizeof(float), kSpoilt));
  }

  Error execute(Program& program, int call) override {
    TensorArg x(ScalarType::Float, shape(call), input_);
    TensorArg y(ScalarType::Float, largest(), output_);
    return program.execute({&x, &y});
  }

  bool is_right(int call) override {
    const size_t count = count_of(shape(call));
    const std::vector<float> values = output_.read<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      const float want = static_cast<float>(10 * call) + static_cast<float>(i) + 1;
      if (values[i] != (i < count ? want : kSpoilt)) {
        return false;
      }
    }
    return true;
  }

 private:
  const std::vector<int32_t>& shape(int call) const {
    return shapes_[std::min(static_cast<size_t>(call), shapes_.size() - 1)];
  }
  // Output memory is planned for the largest shape.
  std::vector<int32_t> largest() const { return *std::max_element(shapes_.begin(), shapes_.end()); }
  static size_t count_of(const std::vector<int32_t>& shape) {
    size_t count = 1;
    for (const int32_t size : shape) {
      count *= static_cast<size_t>(size);
    }
    return count;
  }
  Buffer input_;
  Buffer output_;
  std::vector<std::vector<int32_t>> shapes_;
};

// cache += step in place; the caller's output is the same buffer, or another one.
class Cache : public Session {
 public:
  Cache(size_t offset, bool has_own_output, Place output)
      : step_(Place::kDevice, 16),
        cache_(Place::kDevice, 16, 0, offset),
        output_(output, 16),
        has_own_output_(has_own_output) {}

  void prepare(int call) override {
    step_.write(std::vector<float>(4, static_cast<float>(call + 1)));
    cache_.write(std::vector<float>(4, 100));
    output_.write(std::vector<float>(4, kSpoilt));
  }

  Error execute(Program& program, int) override {
    TensorArg step(ScalarType::Float, {4}, step_);
    TensorArg cache(ScalarType::Float, {4}, cache_);
    TensorArg out(ScalarType::Float, {4}, has_own_output_ ? output_ : cache_);
    return program.execute({&step, &cache, &out});
  }

  bool is_right(int call) override {
    const std::vector<float> want(4, 100 + static_cast<float>(call + 1));
    return cache_.read<float>() == want && (!has_own_output_ || output_.read<float>() == want);
  }

 private:
  Buffer step_;
  Buffer cache_;
  Buffer output_;
  bool has_own_output_;
};

// AddOne on a stream of the caller.
class OnCallerStream : public AddOne {
 public:
  OnCallerStream() : AddOne({Place::kPageable, Place::kPageable, 0}, {{4}}) {
    int before = 0;
    (void)cudaGetDevice(&before);
    (void)cudaSetDevice(0);  // the engine's, not the caller's current one
    (void)cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    (void)cudaSetDevice(before);
  }
  ~OnCallerStream() override { (void)cudaStreamDestroy(stream_); }
  Error execute(Program& program, int call) override {
    const executorch::extension::cuda::CallerStreamGuard guard(stream_);
    return AddOne::execute(program, call);
  }

 private:
  cudaStream_t stream_ = nullptr;
};

LoadRequest add_one(std::vector<contract::BackendOption> options = {}) {
  LoadRequest request(contract::one_in_one_out(plans::add_one({4})));
  request.options = std::move(options);
  return request;
}

std::function<std::unique_ptr<Session>()> add_one_session(Where where,
                                                          std::vector<std::vector<int32_t>> shapes = {{4}}) {
  return [=] { return std::make_unique<AddOne>(where, shapes); };
}

Scenario cache_scenario(const std::string& name, size_t offset, bool has_own_output, Place output) {
  return {name, [] { return LoadRequest(contract::make_blob(plans::cache_text(), plans::cache())); },
          [=] { return std::make_unique<Cache>(offset, has_own_output, output); }, 2};
}

LoadRequest dynamic(const plans::Ranges& ranges) {
  return LoadRequest(contract::one_in_one_out(plans::add_one({-1}, ranges)));
}

LoadRequest streaming(std::vector<contract::BackendOption> options) {
  LoadRequest request(contract::one_in_one_out(plans::streaming(4096)));
  request.options = std::move(options);
  return request;
}

}  // namespace

std::vector<Scenario> scenarios() {
  const auto plain = [] { return add_one(); };
  std::vector<Scenario> all;
  for (const Place place : contract::kAllPlaces) {
    all.push_back({name_of(place), plain, add_one_session({place, place, 0}), 2});
  }
  all.push_back({"host_in_device_out", plain, add_one_session({Place::kPageable, Place::kDevice, 0})});
  all.push_back({"unaligned", plain, add_one_session({Place::kDevice, Place::kDevice, 16}), 2});
  all.push_back(
      {"integrated", plain, add_one_session({Place::kPageable, Place::kPageable, 0}), 2, {{"integrated", "1"}}});
  all.push_back({"caller_stream", plain, [] { return std::make_unique<OnCallerStream>(); }, 2});
  all.push_back(cache_scenario("alias", 0, false, Place::kDevice));
  all.push_back(cache_scenario("alias_with_own_output", 0, true, Place::kDevice));
  all.push_back(cache_scenario("alias_with_host_output", 0, true, Place::kPageable));
  all.push_back(cache_scenario("alias_unaligned", 16, true, Place::kDevice));
  all.push_back({"resized", [] { return dynamic({{{1}, {2}, {8}}}); },
                 add_one_session({Place::kPageable, Place::kPageable, 0}, {{2}, {8}, {1}}), 3});
  all.push_back({"two_profiles", [] { return dynamic({{{1}, {2}, {4}}, {{5}, {6}, {8}}}); },
                 add_one_session({Place::kDevice, Place::kDevice, 0}, {{2}, {6}, {3}}), 3});
  all.push_back({"empty", [] { return dynamic({{{0}, {2}, {4}}}); },
                 add_one_session({Place::kPageable, Place::kPageable, 0}, {{0}, {4}, {0}}), 3});
  // Ordinary, captured, replayed.
  all.push_back({"graph", [] { return add_one({option("cuda_graph", true)}); },
                 add_one_session({Place::kDevice, Place::kDevice, 0}), 3});
  all.push_back({"graph_from_host", [] { return add_one({option("cuda_graph", true)}); },
                 add_one_session({Place::kPageable, Place::kPageable, 0}), 3});
  all.push_back({"shared_activation",
                 [] {
                   LoadRequest request(contract::one_in_one_out(plans::with_activations(1024)));
                   request.options = {option("shared_activation_memory", true)};
                   return request;
                 },
                 add_one_session({Place::kDevice, Place::kDevice, 0})});
  all.push_back(
      {"streaming_automatic", [] { return streaming({}); }, add_one_session({Place::kDevice, Place::kDevice, 0})});
  all.push_back({"streaming_with_budget", [] { return streaming({option("weight_streaming_budget", 1024)}); },
                 add_one_session({Place::kDevice, Place::kDevice, 0})});
  return all;
}

}  // namespace faults
