#include "fixture.h"

namespace standins::cuda_tests {
namespace {

void append_one(void* list) { static_cast<std::vector<int>*>(list)->push_back(1); }
void append_two(void* list) { static_cast<std::vector<int>*>(list)->push_back(2); }

class Graphs : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    ASSERT_EQ(cudaGraphCreate(&graph_, 0), cudaSuccess);
  }
  void TearDown() override {
    if (exec_ != nullptr) {
      EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
    }
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
    Cuda::TearDown();
  }
  cudaGraphNode_t add_host(cudaHostFn_t function, std::vector<int>* list, cudaGraph_t graph) {
    cudaGraphNode_t node = nullptr;
    const cudaHostNodeParams parameters{function, list};
    EXPECT_EQ(cudaGraphAddHostNode(&node, graph, nullptr, 0, &parameters), cudaSuccess);
    return node;
  }
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

TEST_F(Graphs, EveryLaunchRunsTheNodesAgain) {
  set("mode", "lazy");
  std::vector<int> order;
  add_host(append_one, &order, graph_);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  EXPECT_EQ(ledger_of(0).graph_execs, 1u);
  EXPECT_EQ(cudaGraphUpload(exec_, cudaStreamPerThread), cudaSuccess);
  cudaGraphLaunch(exec_, cudaStreamPerThread);
  cudaGraphLaunch(exec_, cudaStreamPerThread);
  EXPECT_TRUE(order.empty()) << "launches come back before the work has run";
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(order.size(), 2u);
}

TEST_F(Graphs, DependenciesDecideTheOrder) {
  std::vector<int> order;
  const cudaGraphNode_t later = add_host(append_one, &order, graph_);
  const cudaGraphNode_t earlier = add_host(append_two, &order, graph_);
  ASSERT_EQ(cudaGraphAddDependencies(graph_, &earlier, &later, nullptr, 1), cudaSuccess);
  size_t count = 1;
  cudaGraphNode_t found = nullptr;
  EXPECT_EQ(cudaGraphNodeGetDependencies(later, &found, nullptr, &count), cudaSuccess);
  EXPECT_EQ(found, earlier);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&exec_, graph_, 0), cudaSuccess);
  cudaGraphLaunch(exec_, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

TEST_F(Graphs, ACycleCannotBeInstantiated) {
  std::vector<int> order;
  const cudaGraphNode_t first = add_host(append_one, &order, graph_);
  const cudaGraphNode_t second = add_host(append_two, &order, graph_);
  cudaGraphAddDependencies(graph_, &first, &second, nullptr, 1);
  cudaGraphAddDependencies(graph_, &second, &first, nullptr, 1);
  EXPECT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaErrorInvalidValue);
}

TEST_F(Graphs, CopyAndSetNodesWork) {
  DeviceFloats memory(1);
  float out = 1;
  cudaGraphNode_t set_node = nullptr;
  cudaGraphNode_t copy_node = nullptr;
  cudaMemsetParams parameters{};
  parameters.dst = memory.data();
  parameters.elementSize = 1;
  parameters.width = 4;
  parameters.height = 1;
  ASSERT_EQ(cudaGraphAddMemsetNode(&set_node, graph_, nullptr, 0, &parameters), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy_node, graph_, &set_node, 1, &out, memory.data(), 4, cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  cudaGraphNodeGetType(copy_node, &type);
  EXPECT_EQ(type, cudaGraphNodeTypeMemcpy);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  cudaGraphLaunch(exec_, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(out, 0);
}

TEST_F(Graphs, AnUpdateTakesGraphsOfTheSameShapeOnly) {
  std::vector<int> order;
  add_host(append_one, &order, graph_);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  cudaGraph_t other = nullptr;
  cudaGraphCreate(&other, 0);
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_EQ(cudaGraphExecUpdate(exec_, other, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  add_host(append_two, &order, other);
  EXPECT_EQ(cudaGraphExecUpdate(exec_, other, &info), cudaSuccess);
  cudaGraphLaunch(exec_, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(order, (std::vector<int>{2}));
  cudaGraphDestroy(other);
}

TEST_F(Graphs, AnUpdateDoesNotReachALaunchThatIsQueued) {
  set("mode", "lazy");
  std::vector<int> order;
  add_host(append_one, &order, graph_);
  cudaGraphInstantiate(&exec_, graph_, 0);
  cudaGraphLaunch(exec_, cudaStreamPerThread);
  cudaGraph_t other = nullptr;
  cudaGraphCreate(&other, 0);
  add_host(append_two, &order, other);
  cudaGraphExecUpdateResultInfo info{};
  cudaGraphExecUpdate(exec_, other, &info);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(order, (std::vector<int>{1}));
  cudaGraphDestroy(other);
}

TEST_F(Graphs, ACloneLivesByItself) {
  std::vector<int> order;
  const cudaGraphNode_t first = add_host(append_one, &order, graph_);
  const cudaGraphNode_t second = add_host(append_two, &order, graph_);
  cudaGraphAddDependencies(graph_, &second, &first, nullptr, 1);
  cudaGraph_t copy = nullptr;
  ASSERT_EQ(cudaGraphClone(&copy, graph_), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec_, copy, 0), cudaSuccess);
  cudaGraphDestroy(copy);
  cudaGraphLaunch(exec_, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

TEST_F(Graphs, DestroyedOnesAreRefused) {
  cudaGraph_t other = nullptr;
  cudaGraphCreate(&other, 0);
  cudaGraphDestroy(other);
  EXPECT_EQ(cudaGraphDestroy(other), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphInstantiate(&exec_, other, 0), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace standins::cuda_tests
