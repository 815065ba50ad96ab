// Events.
#ifndef STANDINS_CUDART_EVENT_H_
#define STANDINS_CUDART_EVENT_H_

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace standins::cuda {

class Stream;
class Capture;
struct Node;

struct Event {
  int device = 0;
  unsigned flags = 0;
  std::mutex mutex;                // everything below
  std::shared_ptr<Stream> stream;  // where it was recorded last; null: never
  uint64_t sequence = 0;
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<Capture> capture;  // recorded inside a capture
  std::vector<Node*> captured_after;
};

std::shared_ptr<Event> resolve_event(cudaEvent_t handle);
cudaEvent_t create_event(int device, unsigned flags);
bool destroy_event(cudaEvent_t handle);

cudaError_t record_event(Event& event, std::shared_ptr<Event> owner, Stream& stream);
cudaError_t wait_event(Stream& stream, Event& event);

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_EVENT_H_
