// Where a delegate's time goes: sums the events it reports to ExecuTorch's tracer while a method runs.
#pragma once

#include <executorch/runtime/core/event_tracer.h>

#include <cstdint>
#include <string>
#include <vector>

namespace trtet {

struct Phase {
  std::string name;                  // "enqueue", as the delegate calls it
  std::vector<double> microseconds;  // one value per run: the sum over all delegates of the program
};

// Counts delegate events only; everything else the runtime offers is dropped. One thread at a time.
class PhaseTracer : public executorch::runtime::EventTracer {
 public:
  // Begins a run: later events add to a new value of each phase.
  void begin_run() { ++run_count_; }

  // In the order of first appearance. Phases missing from a run have 0 there.
  std::vector<Phase> phases() const;

  void create_event_block(const char*) override {}
  executorch::runtime::EventTracerEntry start_profiling(const char*, executorch::runtime::ChainID,
                                                        executorch::runtime::DebugHandle) override {
    return {};
  }
  void end_profiling(executorch::runtime::EventTracerEntry) override {}
  executorch::runtime::EventTracerEntry start_profiling_delegate(
      const char* name, executorch::runtime::DelegateDebugIntId index) override;
  void end_profiling_delegate(executorch::runtime::EventTracerEntry entry, const void*, size_t) override;
  void log_profiling_delegate(const char* name, executorch::runtime::DelegateDebugIntId index,
                              et_timestamp_t start_time, et_timestamp_t end_time, const void*, size_t) override;
  void track_allocation(executorch::runtime::AllocatorID, size_t) override {}
  executorch::runtime::AllocatorID track_allocator(const char*) override { return 0; }
  executorch::runtime::Result<bool> log_evalue(const executorch::runtime::EValue&,
                                               executorch::runtime::LoggedEValueType) override {
    return false;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(const char*,
                                                                     executorch::runtime::DelegateDebugIntId,
                                                                     const executorch::aten::Tensor&) override {
    return false;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(
      const char*, executorch::runtime::DelegateDebugIntId,
      const executorch::runtime::ArrayRef<executorch::aten::Tensor>) override {
    return false;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(const char*,
                                                                     executorch::runtime::DelegateDebugIntId,
                                                                     const int&) override {
    return false;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(const char*,
                                                                     executorch::runtime::DelegateDebugIntId,
                                                                     const bool&) override {
    return false;
  }
  executorch::runtime::Result<bool> log_intermediate_output_delegate(const char*,
                                                                     executorch::runtime::DelegateDebugIntId,
                                                                     const double&) override {
    return false;
  }
  void set_delegation_intermediate_output_filter(executorch::runtime::EventTracerFilterBase*) override {}

 private:
  std::size_t find_phase(const std::string& name);
  void add(std::size_t phase, et_timestamp_t start_time, et_timestamp_t end_time);

  std::vector<Phase> phases_;
  std::size_t run_count_ = 0;
};

}  // namespace trtet
