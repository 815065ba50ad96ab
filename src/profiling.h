#pragma once

#include <executorch/runtime/core/event_tracer.h>

namespace executorch_backend_tensorrt {

/// One delegate event in ExecuTorch's tracer for its own lifetime. Without tracing an empty object.
template <bool kIsTraced>
class Phase {
 public:
  Phase(executorch::runtime::EventTracer* tracer, const char* name) : tracer_(tracer) {
    entry_ = tracer_->start_profiling_delegate(name, executorch::runtime::kUnsetDelegateDebugIntId);
  }
  ~Phase() { tracer_->end_profiling_delegate(entry_); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  executorch::runtime::EventTracer* tracer_; // borrowed from the call's context
  executorch::runtime::EventTracerEntry entry_;
};

template <>
class Phase<false> {
 public:
  Phase(executorch::runtime::EventTracer*, const char*) {}
  ~Phase() {}
};

} // namespace executorch_backend_tensorrt
