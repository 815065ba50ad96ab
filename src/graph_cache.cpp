#include "graph_cache.h"

#include <algorithm>
#include <cstring>

#include "base/message.h"
#include "base/process_exit.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;

namespace {

// Stream, activation block, profile; per binding its address; per input its rank and sizes.
constexpr std::size_t kCommonWords = 3;
constexpr std::size_t kShapeWords = 1 + kMaxRank;

std::uint64_t to_word(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

bool are_equal(const List<std::uint64_t>& a, const List<std::uint64_t>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

// The capacity is there already, so this allocates nothing.
void assign(List<std::uint64_t>& to, const List<std::uint64_t>& from) {
  to.clear();
  for (const std::uint64_t word : from) {
    to.push(word);
  }
}

} // namespace

GraphCache::~GraphCache() {
  for (Entry& entry : entries_) {
    if (entry.graph != nullptr && !process_is_exiting()) {
      (void)check_cuda(cudaGraphExecDestroy(entry.graph), "cudaGraphExecDestroy");
    }
  }
}

void GraphCache::enable(const Engine& engine) {
  const std::size_t words =
      kCommonWords + engine.inputs.size() * (1 + kShapeWords) + engine.outputs.size();
  key_.reserve(words);
  ordinary_key_.reserve(words);
  entries_.reserve(kCapacity);
  for (std::size_t i = 0; i < kCapacity; ++i) {
    entries_.push(Entry()).key.reserve(words);
  }
  is_enabled_ = true;
}

void GraphCache::write_key(const Engine& engine, cudaStream_t stream) {
  key_.clear();
  key_.push(to_word(stream));
  key_.push(engine.activation.is_shared() ? to_word(engine.activation.memory().data()) : 0);
  key_.push(static_cast<std::uint64_t>(engine.profile));
  for (const Binding& input : engine.inputs) {
    key_.push(to_word(input.address));
    key_.push(static_cast<std::uint64_t>(input.shape.rank));
    for (int d = 0; d < kMaxRank; ++d) {
      key_.push(d < input.shape.rank ? static_cast<std::uint64_t>(input.shape.sizes[d]) : 0);
    }
  }
  for (const Binding& output : engine.outputs) {
    key_.push(to_word(output.address));
  }
}

GraphCache::Entry* GraphCache::find() {
  for (Entry& entry : entries_) {
    if (entry.graph != nullptr && are_equal(entry.key, key_)) {
      return &entry;
    }
  }
  return nullptr;
}

GraphCache::Entry& GraphCache::oldest() {
  return *std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.last_use < b.last_use;
  });
}

Error GraphCache::replay(Entry& entry, cudaStream_t stream) {
  entry.last_use = ++uses_;
  const cudaError_t status = cudaGraphLaunch(entry.graph, stream);
  if (status == cudaSuccess) {
    return Error::Ok;
  }
  forget_cuda_error();
  return message::graph_launch_refused(cudaGetErrorString(status), static_cast<int>(status));
}

// Every begun capture is ended, whatever TensorRT answers, so that the stream works again.
bool GraphCache::capture(Engine& engine, cudaStream_t stream, cudaGraphExec_t& graph) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    return false;
  }
  const bool is_enqueued = engine.context->enqueueV3(stream);
  cudaGraph_t captured = nullptr;
  const bool is_ended = cudaStreamEndCapture(stream, &captured) == cudaSuccess;
  const bool is_made = is_enqueued && is_ended && captured != nullptr &&
      cudaGraphInstantiate(&graph, captured, 0) == cudaSuccess;
  if (captured != nullptr) {
    (void)check_cuda(cudaGraphDestroy(captured), "cudaGraphDestroy");
  }
  return is_made;
}

Error GraphCache::launch(Engine& engine, cudaStream_t stream) {
  write_key(engine, stream);
  if (Entry* entry = find()) {
    return replay(*entry, stream);
  }
  // Capture follows one ordinary launch of the same state: TensorRT does lazy work in the first.
  if (are_equal(key_, ordinary_key_)) {
    cudaGraphExec_t graph = nullptr;
    if (capture(engine, stream, graph)) {
      Entry& entry = oldest();
      const cudaGraphExec_t former = std::exchange(entry.graph, graph);
      assign(entry.key, key_);
      if (former != nullptr) {
        (void)check_cuda(cudaGraphExecDestroy(former), "cudaGraphExecDestroy");
      }
      return replay(entry, stream);
    }
    is_enabled_ = false;
    forget_cuda_error();
    (void)message::graph_not_captured(last_tensorrt_error());
    forget_tensorrt_error();
  }
  assign(ordinary_key_, key_);
  return engine.context->enqueueV3(stream) ? Error::Ok : message::launch_refused();
}

} // namespace executorch_backend_tensorrt
