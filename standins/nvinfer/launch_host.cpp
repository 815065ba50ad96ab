// Launches on the CPU, as stream work of the CUDA stand-in.
#include <unordered_map>

#include "elements.h"
#include "launch.h"

namespace standins {

const bool kFollowsWork = true;

namespace {

constexpr std::size_t kNodeBits = 20;

// Captured launches by number, so that a graph that outlives its context is noticed and not
// followed.
struct Captured {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<Launch>> launches;
  uint64_t next = 1;
};
Captured& captured_launches() {
  static Captured* const instance = new Captured;
  return *instance;
}

// Pending launches, for activation memory that is shared between contexts.
struct Pending {
  Pending() { launches.reserve(256); }
  std::mutex mutex;
  std::vector<const Launch*> launches;
};
Pending& pending_launches() {
  static Pending* const instance = new Pending;
  return *instance;
}

void begin_pending(Launch& launch) {
  launch.is_pending = true;
  ++launch.context->pending;
  launch.context->pending_stream = launch.stream;
  ++live().pending;
  const std::lock_guard<std::mutex> lock(pending_launches().mutex);
  pending_launches().launches.push_back(&launch);
}

void end_pending(Launch& launch) {
  if (!launch.is_pending) return;
  {
    const std::lock_guard<std::mutex> lock(pending_launches().mutex);
    auto& all = pending_launches().launches;
    for (auto& candidate : all) {
      if (candidate != &launch) continue;
      candidate = all.back();
      all.pop_back();
      break;
    }
  }
  --live().pending;
  // Kept until the last line: after is_pending turns false, the launch may be reused or freed.
  const std::shared_ptr<ContextState> keep_alive = std::move(launch.keep_alive);
  ContextState* const context = launch.context;
  launch.is_pending = false;
  --context->pending;
}

// `what`: in the line of misuse when this access is what fails the GPU.
void* map(const Launch& launch, const std::string& what, void* address, uint64_t bytes) {
  bool is_first_fault = false;
  void* const view = cuda::host_range(address, bytes, is_first_fault);
  if (is_first_fault) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", address);
    report_misuse("IExecutionContext " + launch.context->name + ": " + what + ": " +
                  std::to_string(bytes) + " bytes at " + text + " are not memory that GPU " +
                  std::to_string(launch.context->engine->device) + " can use");
  }
  return view;
}

// Fills `host`; false when memory is missing, which fails the GPU as a kernel's access would.
bool map_memory(Launch& launch) {
  static const std::string kConstant = "constant";
  static const std::string kActivation = "activation memory";
  const auto& engine = *launch.context->engine;
  const auto intermediates = static_cast<std::size_t>(engine.program.first_intermediate());
  for (std::size_t i = 0; i < intermediates; ++i) {
    const bool is_constant = i >= engine.tensor_count();
    const PlanTensor* const tensor = is_constant ? nullptr : &engine.plan.tensors[i];
    const uint64_t bytes = bytes_of(engine.program.values()[i].dtype, launch.shapes[i]);
    launch.host[i] = launch.addresses[i];
    if (bytes == 0 || (tensor != nullptr && (tensor->on_host || tensor->is_shape_tensor))) continue;
    launch.host[i] =
        map(launch, tensor != nullptr ? tensor->name : kConstant, launch.addresses[i], bytes);
    if (launch.host[i] == nullptr) return false;
  }
  if (launch.block_bytes == 0) return true;
  char* const block =
      static_cast<char*>(map(launch, kActivation, launch.block, launch.block_bytes));
  for (std::size_t i = intermediates; i < launch.host.size() && block != nullptr; ++i) {
    launch.host[i] = block + (static_cast<char*>(launch.addresses[i]) - launch.block);
  }
  return block != nullptr;
}

void run_node(const Launch& launch, const ProgramNode& node) {
  Step steps[2];
  const int count =
      build_steps(node, launch.context->engine->program, launch.shapes, launch.host, steps);
  for (int i = 0; i < count; ++i) {
    for (int64_t element = 0; element < steps[i].count; ++element) run_element(steps[i], element);
  }
}

void run_model(Launch& launch) {
  const std::string problem = launch.context->request->run(launch.host, launch.shapes);
  if (problem.empty()) return;
  report_misuse("IExecutionContext " + launch.context->name + ": model: " + problem);
  cuda::raise(cudaErrorLaunchFailure);
}

void run(Launch& launch, std::size_t node) {
  const auto& nodes = launch.context->engine->program.nodes();
  const bool is_first = node == 0 || node == kAllNodes;
  const bool is_last = node == kAllNodes || node + 1 == nodes.size();
  if (is_first) {
    launch.is_broken = launch.faults || !map_memory(launch);
    if (launch.faults) cuda::raise(cudaErrorIllegalAddress);
  }
  if (!launch.is_broken) {
    if (launch.context->request) {
      run_model(launch);
    } else if (node != kAllNodes) {
      run_node(launch, nodes[node]);
    } else {
      for (const auto& each : nodes) run_node(launch, each);
    }
  }
  if (!is_last) return;
  ++live().finished;
  end_pending(launch);
}

void run_captured(uint64_t number) {
  std::shared_ptr<Launch> launch;
  {
    const std::lock_guard<std::mutex> lock(captured_launches().mutex);
    const auto found = captured_launches().launches.find(number >> kNodeBits);
    if (found != captured_launches().launches.end()) launch = found->second;
  }
  if (launch == nullptr) {
    report_misuse(
        "IExecutionContext: a graph that holds its launch is replayed after its destruction");
    cuda::raise(cudaErrorIllegalAddress);
    return;
  }
  const std::size_t index = number & ((std::size_t{1} << kNodeBits) - 1);
  run(*launch, launch->calls[index].node);
}

// Captured launches travel as odd numbers, others as pointers.
void CUDART_CB run_call(void* data) {
  const auto word = reinterpret_cast<uintptr_t>(data);
  if ((word & 1) != 0) {
    run_captured(word >> 1);
    return;
  }
  const auto* const call = static_cast<const Launch::NodeCall*>(data);
  run(*call->launch, call->node);
}

cudaError_t start_captured(const std::shared_ptr<Launch>& launch, cudaStream_t stream) {
  uint64_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(captured_launches().mutex);
    number = captured_launches().next++;
    captured_launches().launches.emplace(number, launch);
  }
  launch->context->captured.push_back(number);
  for (std::size_t i = 0; i < launch->calls.size(); ++i) {
    const uintptr_t word = ((number << kNodeBits | i) << 1) | 1;
    const cudaError_t error = cudaLaunchHostFunc(stream, run_call, reinterpret_cast<void*>(word));
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t start(const std::shared_ptr<Launch>& launch, cudaStream_t stream, bool captured) {
  const cuda::LibraryScope scope;
  if (captured) return start_captured(launch, stream);
  begin_pending(*launch);
  for (std::size_t i = 0; i < launch->calls.size(); ++i) {
    const cudaError_t error = cudaLaunchHostFunc(stream, run_call, &launch->calls[i]);
    if (error == cudaSuccess) continue;
    // A later node of the same launch that is refused leaves the earlier ones queued: wait for
    // them.
    if (i != 0) (void)cudaStreamSynchronize(stream);
    end_pending(*launch);
    return error;
  }
  return cudaSuccess;
}

void forget_captured(ContextState& context) {
  const std::lock_guard<std::mutex> lock(captured_launches().mutex);
  for (uint64_t number : context.captured) captured_launches().launches.erase(number);
  context.captured.clear();
}

std::string block_user(const Launch& launch) {
  if (launch.block_bytes == 0) return "";
  const std::lock_guard<std::mutex> lock(pending_launches().mutex);
  for (const Launch* other : pending_launches().launches) {
    const bool overlaps = other->block < launch.block + launch.block_bytes &&
                          launch.block < other->block + other->block_bytes;
    if (overlaps && other->context != launch.context && other->stream != launch.stream) {
      return other->context->name;
    }
  }
  return "";
}

}  // namespace standins
