// Graphs: built by hand or captured, instantiated, launched, updated.
#include <algorithm>
#include <map>

#include "graph.h"
#include "memory.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

Node* node_of(cudaGraphNode_t handle) { return reinterpret_cast<Node*>(handle); }
cudaGraphNode_t handle_of(Node* node) { return reinterpret_cast<cudaGraphNode_t>(node); }

cudaError_t add_node(cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* after, size_t count,
                     Operation operation, cudaGraphNodeType type) {
  const auto graph = resolve_graph(handle);
  if (graph == nullptr || out == nullptr || (after == nullptr && count != 0)) {
    return cudaErrorInvalidValue;
  }
  std::vector<Node*> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back(node_of(after[i]));
  }
  *out = handle_of(graph->add(std::move(operation), type, std::move(nodes)));
  return cudaSuccess;
}

// Node order in `graph` respects dependencies unless some were added afterwards.
std::vector<const Node*> launch_order(const Graph& graph) {
  std::vector<const Node*> order;
  std::map<const Node*, bool> placed;
  while (order.size() < graph.nodes.size()) {
    const size_t before = order.size();
    for (const auto& node : graph.nodes) {
      const bool ready =
          std::all_of(node->after.begin(), node->after.end(), [&](const Node* earlier) { return placed[earlier]; });
      if (ready && !placed[node.get()]) {
        placed[node.get()] = true;
        order.push_back(node.get());
      }
    }
    if (order.size() == before) {
      return {};  // a cycle
    }
  }
  return order;
}

void fill_exec(GraphExec& exec, const std::vector<const Node*>& order) {
  exec.operations.clear();
  exec.types.clear();
  for (const Node* node : order) {
    exec.operations.push_back(node->operation);
    exec.types.push_back(node->type);
  }
}

cudaError_t instantiate(cudaGraphExec_t* out, cudaGraph_t handle) {
  const auto graph = resolve_graph(handle);
  if (graph == nullptr || out == nullptr) {
    return cudaErrorInvalidValue;
  }
  const std::vector<const Node*> order = launch_order(*graph);
  if (order.size() != graph->nodes.size()) {
    return cudaErrorInvalidValue;
  }
  auto exec = std::make_shared<GraphExec>();
  exec->device = graph->device;
  fill_exec(*exec, order);
  *out = publish_exec(std::move(exec));
  return cudaSuccess;
}

cudaError_t update(cudaGraphExec_t exec_handle, cudaGraph_t handle, cudaGraphExecUpdateResultInfo* info) {
  const auto exec = resolve_exec(exec_handle);
  const auto graph = resolve_graph(handle);
  if (exec == nullptr || graph == nullptr || info == nullptr) {
    return cudaErrorInvalidValue;
  }
  *info = {};
  GraphExec fresh;
  fill_exec(fresh, launch_order(*graph));
  if (fresh.types.size() != exec->types.size()) {
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
    return cudaErrorGraphExecUpdateFailure;
  }
  if (fresh.types != exec->types) {
    info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
    return cudaErrorGraphExecUpdateFailure;
  }
  exec->operations = std::move(fresh.operations);
  return cudaSuccess;
}

cudaError_t launch(cudaGraphExec_t exec_handle, cudaStream_t stream_handle) {
  auto exec = resolve_exec(exec_handle);
  Stream* stream = resolve_stream(stream_handle);
  if (exec == nullptr || stream == nullptr) {
    return exec == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  }
  if (stream->is_legacy && legacy_is_blocked()) {
    return break_capture("cudaGraphLaunch", nullptr, cudaErrorStreamCaptureImplicit);
  }
  Operation operation;
  operation.kind = Operation::Kind::kGraph;
  // A later update must not reach a launch that is already queued.
  operation.object = settings().mode == Mode::kImmediate
                         ? std::static_pointer_cast<void>(std::move(exec))
                         : std::static_pointer_cast<void>(std::make_shared<GraphExec>(*exec));
  if (stream->capturing) {
    return capture_operation(*stream, std::move(operation));
  }
  stream->submit(std::move(operation));
  return cudaSuccess;
}

cudaError_t clone(cudaGraph_t* out, cudaGraph_t handle) {
  const auto graph = resolve_graph(handle);
  if (graph == nullptr || out == nullptr) {
    return cudaErrorInvalidValue;
  }
  auto copy = std::make_shared<Graph>();
  copy->device = graph->device;
  std::map<const Node*, Node*> twin;
  for (const auto& node : graph->nodes) {
    twin[node.get()] = copy->add(node->operation, node->type, {});
  }
  for (const auto& node : graph->nodes) {
    for (const Node* earlier : node->after) {
      twin[node.get()]->after.push_back(twin[earlier]);
    }
  }
  *out = publish_graph(std::move(copy));
  return cudaSuccess;
}

// CUDA's two-step listing: null asks for the count, else up to *count handles.
cudaError_t list(const std::vector<Node*>& nodes, cudaGraphNode_t* out, size_t* count) {
  if (count == nullptr) {
    return cudaErrorInvalidValue;
  }
  for (size_t i = 0; out != nullptr && i < *count; ++i) {
    out[i] = i < nodes.size() ? handle_of(nodes[i]) : nullptr;
  }
  *count = out == nullptr ? nodes.size() : std::min(*count, nodes.size());
  return cudaSuccess;
}

}  // namespace
}  // namespace standins::cuda

using namespace standins::cuda;

extern "C" {

cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t* out, unsigned int flags) {
  return call(Fn::cudaGraphCreate, [&] {
    if (out == nullptr || flags != 0) {
      return cudaErrorInvalidValue;
    }
    auto graph = std::make_shared<Graph>();
    graph->device = t_state.device;
    *out = publish_graph(std::move(graph));
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph) {
  return call(Fn::cudaGraphDestroy, [&] { return destroy_graph(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t CUDARTAPI cudaGraphClone(cudaGraph_t* out, cudaGraph_t graph) {
  return call(Fn::cudaGraphClone, [&] { return clone(out, graph); });
}

cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                            size_t count) {
  return call(Fn::cudaGraphAddEmptyNode,
              [&] { return add_node(out, graph, after, count, {}, cudaGraphNodeTypeEmpty); });
}

cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           size_t count, const cudaHostNodeParams* parameters) {
  return call(Fn::cudaGraphAddHostNode, [&] {
    if (parameters == nullptr || parameters->fn == nullptr) {
      return cudaErrorInvalidValue;
    }
    Operation operation;
    operation.kind = Operation::Kind::kHost;
    operation.host_function = parameters->fn;
    operation.user_data = parameters->userData;
    return add_node(out, graph, after, count, std::move(operation), cudaGraphNodeTypeHost);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                               size_t count, void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return call(Fn::cudaGraphAddMemcpyNode1D, [&] {
    if (const cudaError_t error = check_copy(to, from, bytes, kind); error != cudaSuccess) {
      return error;
    }
    Operation operation;
    operation.kind = Operation::Kind::kCopy;
    operation.destination = to;
    operation.source = from;
    operation.bytes = bytes;
    return add_node(out, graph, after, count, std::move(operation), cudaGraphNodeTypeMemcpy);
  });
}

cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                             size_t count, const cudaMemsetParams* parameters) {
  return call(Fn::cudaGraphAddMemsetNode, [&] {
    if (parameters == nullptr || parameters->elementSize != 1 || parameters->height != 1) {
      return cudaErrorNotSupported;  // bytes in one row only
    }
    Operation operation;
    operation.kind = Operation::Kind::kSet;
    operation.destination = parameters->dst;
    operation.bytes = parameters->width;
    operation.value = static_cast<int>(parameters->value);
    return add_node(out, graph, after, count, std::move(operation), cudaGraphNodeTypeMemset);
  });
}

cudaError_t CUDARTAPI cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return call(Fn::cudaGraphAddDependencies, [&] {
    if (resolve_graph(graph) == nullptr) {
      return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < count; ++i) {
      node_of(to[i])->after.push_back(node_of(from[i]));
    }
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* out, size_t* count) {
  return call(Fn::cudaGraphGetNodes, [&] {
    const auto graph = resolve_graph(handle);
    if (graph == nullptr) {
      return cudaErrorInvalidValue;
    }
    std::vector<Node*> nodes;
    for (const auto& node : graph->nodes) {
      nodes.push_back(node.get());
    }
    return list(nodes, out, count);
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* out, cudaGraphEdgeData* edges,
                                                   size_t* count) {
  return call(Fn::cudaGraphNodeGetDependencies, [&] {
    if (node == nullptr || edges != nullptr) {
      return node == nullptr ? cudaErrorInvalidValue : cudaErrorNotSupported;
    }
    return list(node_of(node)->after, out, count);
  });
}

cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call(Fn::cudaGraphNodeGetType, [&] {
    if (node == nullptr || type == nullptr) {
      return cudaErrorInvalidValue;
    }
    *type = node_of(node)->type;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
  return call(Fn::cudaGraphInstantiate, [&] { return instantiate(out, graph); });
}
cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
  return call(Fn::cudaGraphInstantiateWithFlags, [&] { return instantiate(out, graph); });
}
cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call(Fn::cudaGraphExecDestroy, [&] { return destroy_exec(exec) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                          cudaGraphExecUpdateResultInfo* info) {
  return call(Fn::cudaGraphExecUpdate, [&] { return update(exec, graph, info); });
}

cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(Fn::cudaGraphLaunch, stream, [&] { return launch(exec, stream); });
}
cudaError_t CUDARTAPI cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  return cudaGraphLaunch(exec, stream == nullptr ? cudaStreamPerThread : stream);
}

cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(Fn::cudaGraphUpload, stream, [&] {
    return resolve_exec(exec) == nullptr || resolve_stream(stream) == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  return cudaGraphUpload(exec, stream == nullptr ? cudaStreamPerThread : stream);
}

}  // extern "C"
