// One launch of a context: everything its work reads, fixed at enqueue, and how it goes onto a
// stream.
#ifndef STANDINS_NVINFER_LAUNCH_H_
#define STANDINS_NVINFER_LAUNCH_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine.h"

namespace standins {

struct ContextState;

struct Launch {
  explicit Launch(const ContextState& context);

  struct NodeCall {
    Launch* launch;
    std::size_t node;  // first to run; kAllNodes: every one
  };

  std::shared_ptr<ContextState> keep_alive;  // captured, or the context went while this was pending
  ContextState* context = nullptr;
  std::vector<Dims> shapes;      // of all values
  std::vector<void*> addresses;  // of all values, as the device sees them
  std::vector<void*> host;  // the same as stream work on the CPU sees them; filled when it runs
  std::vector<NodeCall> calls;
  uint64_t shapes_version = 0;
  cudaStream_t stream = nullptr;
  char* block = nullptr;  // activation memory
  uint64_t block_bytes = 0;
  bool faults = false;
  bool is_broken = false;  // memory was missing; the nodes that follow do nothing
  std::atomic<bool> is_pending{false};
};

// What launches share with their context; outlives it when it is destroyed too early.
struct ContextState {
  explicit ContextState(std::shared_ptr<EngineCore> owner) : engine(std::move(owner)) {}

  const std::shared_ptr<EngineCore> engine;
  std::string name;
  cuda::DeviceBlock own_block;  // activation memory unless user managed
  std::unique_ptr<Model::Request> request;
  std::atomic<int> pending{0};
  std::atomic<cudaStream_t> pending_stream{nullptr};
  std::vector<std::unique_ptr<Launch>> launches;  // reused
  std::vector<uint64_t> captured;                 // handed to graphs, by number
};

inline constexpr std::size_t kAllNodes = ~std::size_t{0};
// False under the real CUDA runtime: its work is not followed to the end.
extern const bool kFollowsWork;

// A launch to fill in; a new one while the stream is captured or all others are pending.
std::shared_ptr<Launch> take_launch(const std::shared_ptr<ContextState>& context, bool captured);
// Queues the work. On failure nothing is pending.
cudaError_t start(const std::shared_ptr<Launch>& launch, cudaStream_t stream, bool captured);
// Ends what graphs hold of the context; a replay after that is misuse.
void forget_captured(ContextState& context);

// Activation memory that a pending launch on another stream uses; its context's name, or "".
std::string block_user(const Launch& launch);

}  // namespace standins

#endif  // STANDINS_NVINFER_LAUNCH_H_
