#include "graph.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "event.h"
#include "handles.h"
#include "ledger.h"
#include "stream.h"

namespace standins::cuda {
namespace {

// Never destroyed: calls can come while the process exits.
struct Graphs {
  Handles<Graph, cudaGraph_t> graphs;
  Handles<GraphExec, cudaGraphExec_t> execs;
  std::mutex capture_mutex;
  std::vector<std::shared_ptr<Capture>> open;
  uint64_t next_capture = 1;
};
Graphs& graphs() {
  static Graphs* const instance = new Graphs();
  return *instance;
}

cudaGraphNodeType node_type(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::kCopy:
      return cudaGraphNodeTypeMemcpy;
    case Operation::Kind::kSet:
      return cudaGraphNodeTypeMemset;
    case Operation::Kind::kHost:
      return cudaGraphNodeTypeHost;
    case Operation::Kind::kGraph:
      return cudaGraphNodeTypeGraph;
    default:
      return cudaGraphNodeTypeEmpty;
  }
}

// Every node that comes before or is one of `last`.
std::set<const Node*> ancestors(const std::vector<Node*>& last) {
  std::set<const Node*> seen;
  std::vector<const Node*> open(last.begin(), last.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (seen.insert(node).second) {
      open.insert(open.end(), node->after.begin(), node->after.end());
    }
  }
  return seen;
}

bool is_joined(const Capture& capture) {
  const auto origin = std::find_if(capture.branches.begin(), capture.branches.end(),
                                   [&](const auto& branch) { return branch.stream.get() == capture.origin; });
  const std::set<const Node*> before = ancestors(origin->last);
  return std::all_of(capture.branches.begin(), capture.branches.end(), [&](const auto& branch) {
    return std::all_of(branch.last.begin(), branch.last.end(),
                       [&](const Node* node) { return before.count(node) != 0; });
  });
}

// Needs the capture lock.
void forget_capture(const std::shared_ptr<Capture>& capture) {
  for (const Capture::Branch& branch : capture->branches) {
    branch.stream->capturing = false;
    branch.stream->capture = nullptr;
  }
  Graphs& g = graphs();
  g.open.erase(std::remove(g.open.begin(), g.open.end(), capture), g.open.end());
  watch(kCapturing, !g.open.empty());
}

}  // namespace

Node* Graph::add(Operation operation, cudaGraphNodeType type, std::vector<Node*> after) {
  nodes.push_back(std::make_unique<Node>());
  Node* node = nodes.back().get();
  node->operation = std::move(operation);
  node->type = type;
  node->after = std::move(after);
  node->graph = this;
  return node;
}

Capture::Branch* Capture::branch_of(const Stream& stream) {
  for (Branch& branch : branches) {
    if (branch.stream.get() == &stream) {
      return &branch;
    }
  }
  return nullptr;
}

bool forbid_in_capture(const char* call_name, const ThreadState& thread) {
  if (thread.capture_mode == cudaStreamCaptureModeRelaxed) {
    return false;
  }
  std::lock_guard<std::mutex> lock(graphs().capture_mutex);
  bool forbidden = false;
  for (const auto& capture : graphs().open) {
    const bool own = capture->thread == thread.id;
    const bool covers =
        (capture->mode == cudaStreamCaptureModeGlobal && (own || thread.capture_mode == cudaStreamCaptureModeGlobal)) ||
        (capture->mode == cudaStreamCaptureModeThreadLocal && own);
    if (covers) {
      capture->invalid = true;
      forbidden = true;
    }
  }
  if (forbidden) {
    report_misuse("%s was called while a stream is being captured", call_name);
  }
  return forbidden;
}

cudaError_t break_capture(const char* call_name, Stream* stream, cudaError_t error) {
  std::lock_guard<std::mutex> lock(graphs().capture_mutex);
  for (const auto& capture : graphs().open) {
    if (stream == nullptr ? capture->mode != cudaStreamCaptureModeRelaxed : stream->capture == capture) {
      capture->invalid = true;
    }
  }
  report_misuse("%s broke the capture of a stream", call_name);
  return error;
}

bool legacy_is_blocked() {
  if ((g_watch.load() & kCapturing) == 0) {
    return false;
  }
  std::lock_guard<std::mutex> lock(graphs().capture_mutex);
  for (const auto& capture : graphs().open) {
    for (const auto& branch : capture->branches) {
      if ((branch.stream->flags & cudaStreamNonBlocking) == 0 && branch.stream->device == t_state.device) {
        return true;
      }
    }
  }
  return false;
}

cudaError_t begin_capture(Stream& stream, cudaStreamCaptureMode mode) {
  if (stream.is_legacy) {
    return cudaErrorStreamCaptureUnsupported;
  }
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) {
    return cudaErrorInvalidValue;
  }
  Graphs& g = graphs();
  std::lock_guard<std::mutex> lock(g.capture_mutex);
  if (stream.capture != nullptr) {
    return cudaErrorIllegalState;
  }
  auto capture = std::make_shared<Capture>();
  capture->id = g.next_capture++;
  capture->mode = mode;
  capture->thread = thread_id(t_state);
  capture->origin = &stream;
  capture->graph = std::make_shared<Graph>();
  capture->graph->device = stream.device;
  capture->branches.push_back({stream.shared_from_this(), {}});
  stream.capture = capture;
  stream.capturing = true;
  g.open.push_back(std::move(capture));
  watch(kCapturing, true);
  return cudaSuccess;
}

cudaError_t end_capture(Stream& stream, cudaGraph_t* out) {
  *out = nullptr;
  std::shared_ptr<Capture> capture;
  {
    std::lock_guard<std::mutex> lock(graphs().capture_mutex);
    capture = stream.capture;
    if (capture == nullptr) {
      return cudaErrorIllegalState;
    }
    if (capture->origin != &stream) {
      return cudaErrorStreamCaptureUnmatched;
    }
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != thread_id(t_state)) {
      return cudaErrorStreamCaptureWrongThread;
    }
    const bool joined = is_joined(*capture);
    forget_capture(capture);
    if (capture->invalid) {
      return cudaErrorStreamCaptureInvalidated;
    }
    if (!joined) {
      return cudaErrorStreamCaptureUnjoined;
    }
  }
  *out = publish_graph(capture->graph);
  return cudaSuccess;
}

cudaError_t capture_operation(Stream& stream, Operation operation) {
  std::lock_guard<std::mutex> lock(graphs().capture_mutex);
  if (stream.capture == nullptr || stream.capture->invalid) {
    return cudaErrorStreamCaptureInvalidated;
  }
  Capture::Branch& branch = *stream.capture->branch_of(stream);
  const cudaGraphNodeType type = node_type(operation);
  branch.last = {stream.capture->graph->add(std::move(operation), type, branch.last)};
  return cudaSuccess;
}

cudaError_t capture_record(Stream& stream, Event& event) {
  std::lock_guard<std::mutex> lock(graphs().capture_mutex);
  if (stream.capture == nullptr || stream.capture->invalid) {
    return cudaErrorStreamCaptureInvalidated;
  }
  std::lock_guard<std::mutex> event_lock(event.mutex);
  event.capture = stream.capture;
  event.captured_after = stream.capture->branch_of(stream)->last;
  return cudaSuccess;
}

cudaError_t capture_wait(Stream& stream, Event& event) {
  std::lock_guard<std::mutex> lock(graphs().capture_mutex);
  std::lock_guard<std::mutex> event_lock(event.mutex);
  const std::shared_ptr<Capture> from = event.capture;
  if (from == nullptr) {
    // An event from outside says nothing about when the graph runs.
    stream.capture->invalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (stream.capture != nullptr && stream.capture != from) {
    stream.capture->invalid = from->invalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (from->invalid || std::find(graphs().open.begin(), graphs().open.end(), from) == graphs().open.end()) {
    return cudaErrorStreamCaptureInvalidated;
  }
  if (stream.capture == nullptr) {
    stream.capture = from;
    stream.capturing = true;
    from->branches.push_back({stream.shared_from_this(), {}});
  }
  std::vector<Node*>& last = from->branch_of(stream)->last;
  for (Node* node : event.captured_after) {
    if (std::find(last.begin(), last.end(), node) == last.end()) {
      last.push_back(node);
    }
  }
  return cudaSuccess;
}

std::shared_ptr<Graph> resolve_graph(cudaGraph_t handle) { return graphs().graphs.find(handle); }
std::shared_ptr<GraphExec> resolve_exec(cudaGraphExec_t handle) { return graphs().execs.find(handle); }

cudaGraph_t publish_graph(std::shared_ptr<Graph> graph) {
  ++ledger(graph->device).graphs;
  return graphs().graphs.publish(std::move(graph));
}

cudaGraphExec_t publish_exec(std::shared_ptr<GraphExec> exec) {
  ++ledger(exec->device).graph_execs;
  return graphs().execs.publish(std::move(exec));
}

bool destroy_graph(cudaGraph_t handle) {
  const std::shared_ptr<Graph> graph = graphs().graphs.take(handle);
  if (graph == nullptr) {
    return false;
  }
  --ledger(graph->device).graphs;
  return true;
}

bool destroy_exec(cudaGraphExec_t handle) {
  const std::shared_ptr<GraphExec> exec = graphs().execs.take(handle);
  if (exec == nullptr) {
    return false;
  }
  --ledger(exec->device).graph_execs;
  return true;
}

}  // namespace standins::cuda
