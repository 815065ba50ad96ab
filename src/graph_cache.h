#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>
#include <executorch/runtime/core/error.h>

#include "base/list.h"
#include "engine.h"

namespace executorch_backend_tensorrt {

/// CUDA graphs of one engine's launch, one for each set of shapes, addresses and stream, at most
/// kCapacity of them, the least recently used replaced. Owned by one handle, like its engine.
class GraphCache {
 public:
  static constexpr std::size_t kCapacity = 4;

  GraphCache() = default;
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;
  ~GraphCache();

  /// Sizes the cache for `engine`; without it the cache is off. Throws std::bad_alloc only.
  void enable(const Engine& engine);
  bool is_enabled() const { return is_enabled_; }

  /// Launches the engine on `stream`: replays a graph of this state, captures one when the last
  /// ordinary launch had this state, launches ordinarily otherwise. An engine or stream that
  /// cannot be captured is logged once and switches the cache off. Errors: InvalidState.
  executorch::runtime::Error launch(Engine& engine, cudaStream_t stream);

 private:
  // The state a launch depends on, as words that compare bit by bit.
  using Key = List<std::uint64_t>;
  struct Entry {
    Key key;
    cudaGraphExec_t graph = nullptr;
    std::uint64_t last_use = 0;
  };

  void write_key(const Engine& engine, cudaStream_t stream);
  Entry* find();
  Entry& oldest();
  executorch::runtime::Error replay(Entry& entry, cudaStream_t stream);
  bool capture(Engine& engine, cudaStream_t stream, cudaGraphExec_t& graph);

  bool is_enabled_ = false;
  Key key_;          // of the present launch
  Key ordinary_key_; // of the last ordinary launch
  List<Entry> entries_;
  std::uint64_t uses_ = 0;
};

} // namespace executorch_backend_tensorrt
