#include "event.h"

#include <deque>

#include "graph.h"
#include "ledger.h"
#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

// Never destroyed: calls can come while the process exits.
struct Events {
  std::mutex mutex;
  std::deque<Slot<Event>> slots;
};
Events& events() {
  static Events* const instance = new Events();
  return *instance;
}

}  // namespace

std::shared_ptr<Event> resolve_event(cudaEvent_t handle) {
  if (handle == nullptr) {
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(events().mutex);
  return reinterpret_cast<Slot<Event>*>(handle)->object;
}

cudaEvent_t create_event(int device_index, unsigned flags) {
  auto event = std::make_shared<Event>();
  event->device = device_index;
  event->flags = flags;
  ++ledger(device_index).events;
  std::lock_guard<std::mutex> lock(events().mutex);
  events().slots.push_back({std::move(event)});
  return reinterpret_cast<cudaEvent_t>(&events().slots.back());
}

bool destroy_event(cudaEvent_t handle) {
  if (handle == nullptr) {
    return false;
  }
  std::shared_ptr<Event> event;
  {
    std::lock_guard<std::mutex> lock(events().mutex);
    event.swap(reinterpret_cast<Slot<Event>*>(handle)->object);
  }
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
