// Activation memory and the launch.
#include "context.h"
#include "context_entry.h"

namespace standins {
namespace {

constexpr std::size_t kDocumentedAlignment = 256;

bool is_aligned(const void* address, std::size_t alignment) {
  return reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

std::string to_text(const void* address) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

EnqueueBehaviour behaviour_of(const Plan& plan) {
  const int forced = settings().enqueue;
  return forced < 0 ? plan.enqueue : static_cast<EnqueueBehaviour>(forced);
}

}  // namespace

std::size_t ExecutionContext::updateDeviceMemorySizeForShapes() noexcept {
  constexpr Method kMethod = Method::IExecutionContext_updateDeviceMemorySizeForShapes;
  const Entry entry(*this, kMethod);
  if (entry.fails()) return 0;
  if (const std::string problem = shape_problem(); !problem.empty()) {
    error(kMethod, "API Usage Error (" + problem + ")");
    return 0;
  }
  return scratch_bytes_;
}

void ExecutionContext::setDeviceMemoryV2(void* memory, int64_t bytes) noexcept {
  constexpr Method kMethod = Method::IExecutionContext_setDeviceMemoryV2;
  const Entry entry(*this, kMethod);
  if (entry.fails()) return;
  check_idle(kMethod, nullptr);
  if (strategy_ != ExecutionContextAllocationStrategy::kUSER_MANAGED) {
    error(kMethod, "API Usage Error (the context was not created with kUSER_MANAGED)");
    report_misuse("IExecutionContext " + name_ + ": setDeviceMemoryV2 without kUSER_MANAGED");
    return;
  }
  if (bytes < 0 || !is_aligned(memory, kDocumentedAlignment)) {
    error(kMethod, "API Usage Error (" + std::to_string(bytes) + " bytes at " + to_text(memory) +
                       ": needs a multiple of 256)");
    return;
  }
  block_ = memory;
  block_bytes_ = bytes;
}

std::string ExecutionContext::shape_problem() const {
  char const* unset = nullptr;
  if (unset_inputs(1, &unset) > 0) return std::string("shape of input ") + unset + " is not set";
  if (!resolve(Method::IExecutionContext_enqueueV3)) return "shapes do not resolve";
  return "";
}

std::string ExecutionContext::address_problem() const {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const PlanTensor& tensor = plan().tensors[i];
    const TensorState& state = tensors_[i];
    if (!state.has_address || state.address == nullptr) {
      return "address of tensor " + tensor.name + " is not set";
    }
    if (tensor.data_dependent) {
      return "tensor " + tensor.name + " has a data-dependent shape and no output allocator";
    }
    if (tensor.format != 0) return "tensor " + tensor.name + " is vectorised: not computed here";
    if (!tensor.aliased_input.empty()) {
      const int input = state_->engine->tensor_index(tensor.aliased_input.c_str());
      if (tensors_[static_cast<std::size_t>(input)].address != state.address) {
        return "output " + tensor.name + " must have the address of its aliased input " +
               tensor.aliased_input;
      }
    }
    if (tensor.on_host || tensor.is_shape_tensor) continue;
    if (!is_aligned(state.address, kDocumentedAlignment)) ++live().underaligned;
    const auto wanted = static_cast<std::size_t>(settings().alignment);
    if (!is_aligned(state.address, wanted)) {
      report_misuse("IExecutionContext " + name_ + ": address " + to_text(state.address) +
                    " of tensor " + tensor.name + " is no multiple of " + std::to_string(wanted));
      return "misaligned address of tensor " + tensor.name;
    }
  }
  return "";
}

std::string ExecutionContext::memory_problem(uint64_t needed_bytes) const {
  if (strategy_ != ExecutionContextAllocationStrategy::kUSER_MANAGED) return "";
  if (static_cast<uint64_t>(block_bytes_) >= needed_bytes) return "";
  return "activation memory of " + std::to_string(block_bytes_) + " bytes, " +
         std::to_string(needed_bytes) + " needed";
}

std::string ExecutionContext::enqueue_problem(cudaStream_t stream) {
  if (std::string problem = shape_problem(); !problem.empty()) return problem;
  if (std::string problem = address_problem(); !problem.empty()) return problem;
  if (std::string problem = memory_problem(scratch_bytes_); !problem.empty()) return problem;
  if (!check_device(*state_->engine, "IExecutionContext", "enqueued")) {
    return "another GPU is current";
  }
  if (behaviour_of(plan()) == EnqueueBehaviour::kRefused) return "the plan refuses every launch";
  if (plan().refuses_capture) {
    const cudaError_t failure = cuda::synchronize(stream);
    if (failure != cudaSuccess) return cuda::describe(failure);
  }
  return "";
}

void ExecutionContext::fill(Launch& launch) const {
  const bool user_managed = strategy_ == ExecutionContextAllocationStrategy::kUSER_MANAGED;
  launch.block = static_cast<char*>(user_managed ? block_ : state_->own_block.get());
  launch.block_bytes = scratch_bytes_;
  launch.faults = behaviour_of(plan()) == EnqueueBehaviour::kFaults;
  if (launch.shapes_version != shapes_version_) {
    launch.shapes = shapes_;
    launch.shapes_version = shapes_version_;
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) launch.addresses[i] = tensors_[i].address;
  const auto first = static_cast<std::size_t>(state_->engine->program.first_intermediate());
  for (std::size_t i = first; i < launch.addresses.size(); ++i) {
    launch.addresses[i] = launch.block + offsets_[i];
  }
}

bool ExecutionContext::enqueueV3(cudaStream_t stream) noexcept try {
  constexpr Method kMethod = Method::IExecutionContext_enqueueV3;
  const Entry entry(*this, kMethod, stream);
  if (entry.fails()) return false;
  check_idle(kMethod, &stream);
  if (const std::string problem = enqueue_problem(stream); !problem.empty()) {
    error(kMethod, "API Usage Error (" + problem + ")");
    return false;
  }
  const bool captured = kFollowsWork && cuda::is_capturing(stream);
  const std::shared_ptr<Launch> launch = take_launch(state_, captured);
  launch->stream = stream;
  fill(*launch);
  if (const std::string user = block_user(*launch); !user.empty()) {
    report_misuse("IExecutionContext " + name_ + ": its activation memory is in use by a pending " +
                  "launch of " + user + " on another stream");
  }
  const cudaError_t failure = start(launch, stream, captured);
  if (failure == cudaSuccess) return true;
  error(kMethod, cuda::describe(failure));
  return false;
} catch (const std::exception& failure) {
  error(Method::IExecutionContext_enqueueV3, failure.what());
  return false;
}

}  // namespace standins
