// Settings of the stand-in; see cuda_control.h for their meaning.
#ifndef STANDINS_CUDART_SETTINGS_H_
#define STANDINS_CUDART_SETTINGS_H_

#include <atomic>
#include <cstdint>
#include <string>

namespace standins::cuda {

constexpr int kMaxDevices = 16;
enum class Mode : int { kThreaded, kLazy, kImmediate, kStopped };
enum class OnMisuse : int { kPrint, kAbort, kQuiet };

struct Settings {
  std::atomic<Mode> mode{Mode::kThreaded};
  std::atomic<int64_t> delay_us{2000};
  std::atomic<int> devices{1};
  std::atomic<bool> driver{true};
  std::atomic<int64_t> memory_bytes{int64_t{8} << 30};
  std::atomic<int64_t> oom_size{0};
  std::atomic<bool> oom_every{false};
  std::atomic<bool> pinned_oom{false};
  std::atomic<bool> integrated{false};
  std::atomic<bool> pageable_access{false};
  std::atomic<bool> pageable_deferred{true};
  std::atomic<int> fill{255};
  std::atomic<OnMisuse> on_misuse{OnMisuse::kPrint};
  std::atomic<bool> record{false};
  std::string report;  // written before the program has threads, or under the caller's care
};
Settings& settings();

// True when `key` is known and `value` well formed; else prints one line and returns false.
bool set_setting(const char* key, const char* value);
void restore_default_settings();
void read_environment();
// What follows from the settings for the fast path.
void apply_settings();

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_SETTINGS_H_
