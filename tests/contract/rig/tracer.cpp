#include "tracer.h"

#include <executorch/runtime/platform/platform.h>

namespace contract {

std::vector<std::string> RecordingTracer::names() const {
  std::vector<std::string> all;
  all.reserve(events.size());
  for (const Event& event : events) {
    all.push_back(event.name);
  }
  return all;
}

RecordingTracer::Entry RecordingTracer::start_profiling_delegate(const char* name, DelegateDebugIntId) {
  Entry entry{};
  entry.event_id = static_cast<int64_t>(open_.size());
  entry.start_time = executorch::runtime::pal_current_ticks();
  open_.emplace_back(name == nullptr ? "" : name);
  ++open_count;
  return entry;
}

void RecordingTracer::end_profiling_delegate(Entry entry, const void*, size_t) {
  --open_count;
  events.push_back(
      {open_.at(static_cast<size_t>(entry.event_id)), entry.start_time, executorch::runtime::pal_current_ticks()});
}

void RecordingTracer::log_profiling_delegate(const char* name, DelegateDebugIntId, et_timestamp_t start,
                                             et_timestamp_t end, const void*, size_t) {
  events.push_back({name == nullptr ? "" : name, start, end});
}

}  // namespace contract
