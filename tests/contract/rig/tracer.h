// An event tracer that keeps the names of delegate events, in order.
#pragma once

#include <string>
#include <vector>

#include <executorch/runtime/core/event_tracer.h>

namespace contract {

class RecordingTracer : public executorch::runtime::EventTracer {
 public:
  using ChainID = executorch::runtime::ChainID;
  using DebugHandle = executorch::runtime::DebugHandle;
  using DelegateDebugIntId = executorch::runtime::DelegateDebugIntId;
  using Entry = executorch::runtime::EventTracerEntry;
  using Tensor = executorch::aten::Tensor;
  template <typename T>
  using Result = executorch::runtime::Result<T>;

  struct Event {
    std::string name;
    et_timestamp_t start;
    et_timestamp_t end;
  };
  std::vector<Event> events;  // closed ones
  std::vector<std::string> names() const;
  int open_count = 0;

  Entry start_profiling_delegate(const char* name, DelegateDebugIntId id) override;
  void end_profiling_delegate(Entry entry, const void* metadata, size_t bytes) override;
  void log_profiling_delegate(const char* name, DelegateDebugIntId id, et_timestamp_t start, et_timestamp_t end,
                              const void* metadata, size_t bytes) override;

  void create_event_block(const char*) override {}
  Entry start_profiling(const char*, ChainID, DebugHandle) override { return {}; }
  void end_profiling(Entry) override {}
  void track_allocation(executorch::runtime::AllocatorID, size_t) override {}
  executorch::runtime::AllocatorID track_allocator(const char*) override { return 0; }
  Result<bool> log_evalue(const executorch::runtime::EValue&, executorch::runtime::LoggedEValueType) override {
    return false;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId, const Tensor&) override {
    return false;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const executorch::runtime::ArrayRef<Tensor>) override {
    return false;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId, const int&) override { return false; }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId, const bool&) override { return false; }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId, const double&) override {
    return false;
  }
  void set_delegation_intermediate_output_filter(executorch::runtime::EventTracerFilterBase*) override {}

 private:
  std::vector<std::string> open_;  // by event id
};

}  // namespace contract
