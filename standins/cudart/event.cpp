#include "event.h"

#include "graph.h"
#include "handles.h"
#include "ledger.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

using EventHandles = Handles<Event, cudaEvent_t>;
EventHandles& events() {
  static EventHandles* const instance = new EventHandles();
  return *instance;
}

}  // namespace

std::shared_ptr<Event> resolve_event(cudaEvent_t handle) { return events().find(handle); }

cudaEvent_t create_event(int device_index, unsigned flags) {
  auto event = std::make_shared<Event>();
  event->device = device_index;
  event->flags = flags;
  ++ledger(device_index).events;
  return events().publish(std::move(event));
}

bool destroy_event(cudaEvent_t handle) {
  const std::shared_ptr<Event> event = events().take(handle);
  if (event == nullptr) {
    return false;
  }
  --ledger(event->device).events;
  return true;
}

cudaError_t record_event(Event& event, std::shared_ptr<Event> owner, Stream& stream) {
  if (event.device != stream.device) {
    return cudaErrorInvalidResourceHandle;
  }
  if (stream.capturing) {
    return capture_record(stream, event);
  }
  Operation operation;
  operation.kind = Operation::Kind::kRecord;
  operation.object = std::move(owner);
  const uint64_t sequence = stream.submit(std::move(operation));
  std::lock_guard<std::mutex> lock(event.mutex);
  event.stream = stream.shared_from_this();
  event.sequence = sequence;
  event.capture = nullptr;
  event.captured_after.clear();
  return cudaSuccess;
}

cudaError_t wait_event(Stream& stream, Event& event) {
  std::vector<Dependency> after;
  {
    std::lock_guard<std::mutex> lock(event.mutex);
    if (event.capture == nullptr && event.stream != nullptr && event.stream.get() != &stream) {
      after.push_back({event.stream, event.sequence});
    }
  }
  if (stream.capturing || event.capture != nullptr) {
    return capture_wait(stream, event);
  }
  if (!after.empty()) {
    stream.submit({}, std::move(after));
  }
  return cudaSuccess;
}

}  // namespace standins::cuda
