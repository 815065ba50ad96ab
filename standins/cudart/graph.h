// Graphs and stream capture.
#ifndef STANDINS_CUDART_GRAPH_H_
#define STANDINS_CUDART_GRAPH_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "operation.h"
#include "state.h"

namespace standins::cuda {

struct Graph;
struct Node {
  Operation operation;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::vector<Node*> after;
  Graph* graph = nullptr;
};
struct Graph {
  int device = 0;
  std::vector<std::unique_ptr<Node>> nodes;  // in an order that respects `after`
  Node* add(Operation operation, cudaGraphNodeType type, std::vector<Node*> after);
};
struct GraphExec {
  int device = 0;
  std::vector<Operation> operations;
  std::vector<cudaGraphNodeType> types;
};

// One capture: the streams that joined it record into one graph.
class Capture {
 public:
  uint64_t id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  uint64_t thread = 0;
  Stream* origin = nullptr;
  bool invalid = false;
  std::shared_ptr<Graph> graph;
  struct Branch {
    std::shared_ptr<Stream> stream;
    std::vector<Node*> last;
  };
  std::vector<Branch> branches;
  Branch* branch_of(const Stream& stream);
};

// True, and the captures concerned are invalid from now on, when an unsafe call is forbidden on this thread.
bool forbid_in_capture(const char* call_name, const ThreadState& thread);
// A call on a capturing stream (or, with null, on the legacy stream) that breaks its capture.
cudaError_t break_capture(const char* call_name, Stream* stream, cudaError_t error);
// The legacy stream must stay untouched while a blocking stream is captured.
bool legacy_is_blocked();

cudaError_t begin_capture(Stream& stream, cudaStreamCaptureMode mode);
cudaError_t end_capture(Stream& stream, cudaGraph_t* out);
cudaError_t capture_operation(Stream& stream, Operation operation);
cudaError_t capture_record(Stream& stream, struct Event& event);
cudaError_t capture_wait(Stream& stream, struct Event& event);

std::shared_ptr<Graph> resolve_graph(cudaGraph_t handle);
cudaGraph_t publish_graph(std::shared_ptr<Graph> graph);
bool destroy_graph(cudaGraph_t handle);
std::shared_ptr<GraphExec> resolve_exec(cudaGraphExec_t handle);
cudaGraphExec_t publish_exec(std::shared_ptr<GraphExec> exec);
bool destroy_exec(cudaGraphExec_t handle);

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_GRAPH_H_
