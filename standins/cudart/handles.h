// Handles that know whether they are still alive.
#ifndef STANDINS_CUDART_HANDLES_H_
#define STANDINS_CUDART_HANDLES_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace standins::cuda {

// Gives out `Handle`s for shared `Object`s. A slot is used again only after many others died, so that a stale
// handle is told apart. Never destroyed by its owners: calls can come while the process exits.
template <class Object, class Handle>
class Handles {
 public:
  Handle publish(std::shared_ptr<Object> object) {
    std::lock_guard<std::mutex> lock(mutex_);
    Slot* slot = nullptr;
    if (dead_.size() > kQuarantine) {
      slot = dead_.front();
      dead_.pop_front();
    } else {
      slot = &slots_.emplace_back();
    }
    slot->object = std::move(object);
    return reinterpret_cast<Handle>(slot);
  }

  // Null when the handle is null or dead.
  std::shared_ptr<Object> find(Handle handle) {
    if (handle == nullptr) {
      return nullptr;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    return reinterpret_cast<Slot*>(handle)->object;
  }

  // The same without owning it or locking: the caller does not race with the handle's destruction.
  static Object* peek(Handle handle) { return reinterpret_cast<const Slot*>(handle)->object.get(); }

  // Ends the handle. Null when it was null or dead already.
  std::shared_ptr<Object> take(Handle handle) {
    if (handle == nullptr) {
      return nullptr;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    Slot* slot = reinterpret_cast<Slot*>(handle);
    std::shared_ptr<Object> object = std::move(slot->object);
    slot->object = nullptr;
    if (object != nullptr) {
      dead_.push_back(slot);
    }
    return object;
  }

 private:
  static constexpr size_t kQuarantine = 256;
  struct Slot {
    std::shared_ptr<Object> object;
  };
  std::mutex mutex_;
  std::deque<Slot> slots_;
  std::deque<Slot*> dead_;
};

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_HANDLES_H_
