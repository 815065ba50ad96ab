// Launches on a GPU, as kernels under the real CUDA runtime: one for each step of each node.
#include "elements.h"
#include "launch.h"

namespace standins {

const bool kFollowsWork = false;

namespace {

constexpr unsigned kThreads = 128;
constexpr int64_t kMostBlocks = 1 << 16;

__global__ void run_step(const Step step) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < step.count;
       i += stride) {
    run_element(step, i);
  }
}

// The benchmarks' long chains are of this: a few parameters instead of a whole Step keep a node of
// a graph small.
__global__ void run_increment(float* out, const float* in, int64_t count, float by) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] + by;
}

bool is_plain_increment(const Step& step) {
  return step.op == Op::kIncrement && step.is_dense && step.out.dtype == DType::kFloat32 &&
         step.in[0].dtype == DType::kFloat32 && step.count > 0 &&
         step.count <= kThreads * kMostBlocks;
}

__global__ void access_nothing(int* nothing) { *nothing = 1; }

cudaError_t launch_step(const Step& step, cudaStream_t stream) {
  // A node without elements still launches, so that the number of kernels is the number of nodes.
  const int64_t wanted = (step.count + kThreads - 1) / kThreads;
  const int64_t blocks = wanted < 1 ? 1 : wanted > kMostBlocks ? kMostBlocks : wanted;
  if (is_plain_increment(step)) {
    const unsigned threads = step.count < kThreads ? static_cast<unsigned>(step.count) : kThreads;
    run_increment<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
        static_cast<float*>(step.out.data), static_cast<const float*>(step.in[0].data), step.count,
        static_cast<float>(step.attribute));
    return cudaGetLastError();
  }
  run_step<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(step);
  return cudaGetLastError();
}

}  // namespace

cudaError_t start(const std::shared_ptr<Launch>& launch, cudaStream_t stream, bool) {
  const Program& program = launch->context->engine->program;
  if (launch->faults) {
    access_nothing<<<1, 1, 0, stream>>>(nullptr);
    return cudaGetLastError();
  }
  for (const ProgramNode& node : program.nodes()) {
    Step steps[2];
    const int count = build_steps(node, program, launch->shapes, launch->addresses, steps);
    for (int i = 0; i < count; ++i) {
      if (const cudaError_t error = launch_step(steps[i], stream); error != cudaSuccess)
        return error;
    }
  }
  ++live().finished;
  return cudaSuccess;
}

void forget_captured(ContextState&) {}

std::string block_user(const Launch&) { return ""; }

}  // namespace standins
