#include "common/phases.h"

#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/platform.h>

namespace trtet {

using executorch::runtime::DelegateDebugIntId;
using executorch::runtime::EventTracerEntry;

std::vector<Phase> PhaseTracer::phases() const {
  std::vector<Phase> phases = phases_;
  for (Phase& phase : phases) phase.microseconds.resize(run_count_);
  return phases;
}

std::size_t PhaseTracer::find_phase(const std::string& name) {
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (phases_[i].name == name) return i;
  phases_.push_back({name, {}});
  return phases_.size() - 1;
}

void PhaseTracer::add(std::size_t phase, et_timestamp_t start_time, et_timestamp_t end_time) {
  if (run_count_ == 0 || end_time < start_time) return;
  std::vector<double>& values = phases_[phase].microseconds;
  values.resize(run_count_);
  values.back() += static_cast<double>(executorch::runtime::ticks_to_ns(end_time - start_time)) / 1000.0;
}

EventTracerEntry PhaseTracer::start_profiling_delegate(const char* name, DelegateDebugIntId index) {
  EventTracerEntry entry{};
  entry.event_id = static_cast<std::int64_t>(find_phase(name != nullptr ? name : "event " + std::to_string(index)));
  entry.start_time = executorch::runtime::pal_current_ticks();
  return entry;
}

void PhaseTracer::end_profiling_delegate(EventTracerEntry entry, const void*, size_t) {
  add(static_cast<std::size_t>(entry.event_id), entry.start_time, executorch::runtime::pal_current_ticks());
}

void PhaseTracer::log_profiling_delegate(const char* name, DelegateDebugIntId index, et_timestamp_t start_time,
                                         et_timestamp_t end_time, const void*, size_t) {
  add(find_phase(name != nullptr ? name : "event " + std::to_string(index)), start_time, end_time);
}

}  // namespace trtet
