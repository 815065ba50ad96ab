#include <algorithm>

#include "launch.h"

namespace standins {
namespace {

constexpr std::size_t kReadyLaunches = 4;

std::shared_ptr<Launch> borrowed(Launch* launch) { return {std::shared_ptr<void>(), launch}; }

}  // namespace

Launch::Launch(const ContextState& owner) {
  const auto& engine = *owner.engine;
  const std::size_t values = engine.program.values().size();
  shapes.resize(values);
  addresses.resize(values);
  host.resize(values);
  const std::size_t constants = static_cast<std::size_t>(engine.program.first_constant());
  std::copy(engine.constant_addresses.begin(), engine.constant_addresses.end(),
            addresses.begin() + static_cast<std::ptrdiff_t>(constants));
  if (engine.plan.launches_per_node) {
    for (std::size_t i = 0; i < engine.program.nodes().size(); ++i) calls.push_back({this, i});
  }
  if (calls.empty()) calls.push_back({this, kAllNodes});
}

std::shared_ptr<Launch> take_launch(const std::shared_ptr<ContextState>& context, bool captured) {
  if (captured) {
    auto launch = std::make_shared<Launch>(*context);
    launch->context = context.get();
    launch->keep_alive = context;
    return launch;
  }
  auto& pool = context->launches;
  while (pool.size() < kReadyLaunches) pool.push_back(std::make_unique<Launch>(*context));
  auto free = std::find_if(pool.begin(), pool.end(),
                           [](const auto& launch) { return !launch->is_pending; });
  if (free == pool.end()) {
    pool.push_back(std::make_unique<Launch>(*context));
    free = pool.end() - 1;
  }
  (*free)->context = context.get();
  return borrowed(free->get());
}

}  // namespace standins
