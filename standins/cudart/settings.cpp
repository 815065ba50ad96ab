#include "settings.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "state.h"
#include "stream.h"

namespace standins::cuda {
namespace {

bool parse_integer(const char* text, int64_t low, int64_t high, int64_t* out) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < low || value > high) {
    return false;
  }
  *out = value;
  return true;
}

template <class Target>
bool store_integer(std::atomic<Target>& target, const char* text, int64_t low, int64_t high) {
  int64_t value = 0;
  if (!parse_integer(text, low, high, &value)) {
    return false;
  }
  target = static_cast<Target>(value);
  return true;
}

template <class Enum, size_t N>
bool store_word(std::atomic<Enum>& target, const char* text, const char* const (&words)[N], const Enum (&values)[N]) {
  for (size_t i = 0; i < N; ++i) {
    if (std::strcmp(text, words[i]) == 0) {
      target = values[i];
      return true;
    }
  }
  return false;
}

// NAME:N[+][=ERROR][,...]
bool arm_failures(const char* text) {
  std::string rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    std::string item = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    int64_t error = cudaErrorUnknown;
    if (const size_t equals = item.find('='); equals != std::string::npos) {
      if (!parse_integer(item.c_str() + equals + 1, 1, 10000, &error)) {
        return false;
      }
      item.resize(equals);
    }
    const size_t colon = item.find(':');
    if (colon == std::string::npos) {
      return false;
    }
    std::string nth_text = item.substr(colon + 1);
    const bool and_all_after = !nth_text.empty() && nth_text.back() == '+';
    if (and_all_after) {
      nth_text.pop_back();
    }
    int64_t nth = 0;
    item.resize(colon);
    if (!parse_integer(nth_text.c_str(), 1, INT64_MAX, &nth) ||
        !arm_failure(item.c_str(), static_cast<uint64_t>(nth), static_cast<int>(error), and_all_after)) {
      return false;
    }
  }
  return true;
}

struct Key {
  const char* name;
  const char* allowed;
  bool (*store)(Settings&, const char*);
};

constexpr int64_t kMost = INT64_MAX;
const Key kKeys[] = {
    {"mode", "threaded, lazy or immediate",
     [](Settings& s, const char* v) {
       return store_word<Mode>(s.mode, v, {"threaded", "lazy", "immediate"},
                               {Mode::kThreaded, Mode::kLazy, Mode::kImmediate});
     }},
    {"delay_us", "0 to 10000000", [](Settings& s, const char* v) { return store_integer(s.delay_us, v, 0, 10000000); }},
    {"devices", "0 to 16", [](Settings& s, const char* v) { return store_integer(s.devices, v, 0, kMaxDevices); }},
    {"driver", "ok or none",
     [](Settings& s, const char* v) { return store_word<bool>(s.driver, v, {"ok", "none"}, {true, false}); }},
    {"memory_bytes", "a byte count",
     [](Settings& s, const char* v) { return store_integer(s.memory_bytes, v, 0, kMost); }},
    {"oom_size", "a byte count, 0 for off",
     [](Settings& s, const char* v) { return store_integer(s.oom_size, v, 0, kMost); }},
    {"oom_every", "0 or 1", [](Settings& s, const char* v) { return store_integer(s.oom_every, v, 0, 1); }},
    {"pinned_oom", "0 or 1", [](Settings& s, const char* v) { return store_integer(s.pinned_oom, v, 0, 1); }},
    {"integrated", "0 or 1",
     [](Settings& s, const char* v) {
       return store_integer(s.integrated, v, 0, 1) && store_integer(s.pageable_access, v, 0, 1);
     }},
    {"pageable_access", "0 or 1", [](Settings& s, const char* v) { return store_integer(s.pageable_access, v, 0, 1); }},
    {"pageable_copies", "deferred or immediate",
     [](Settings& s, const char* v) {
       return store_word<bool>(s.pageable_deferred, v, {"deferred", "immediate"}, {true, false});
     }},
    {"fail", "NAME:N[+][=ERROR][,...] with the name of a simulated function or *",
     [](Settings&, const char* v) { return arm_failures(v); }},
    {"fill", "-1 to 255", [](Settings& s, const char* v) { return store_integer(s.fill, v, -1, 255); }},
    {"on_misuse", "print, abort or quiet",
     [](Settings& s, const char* v) {
       return store_word<OnMisuse>(s.on_misuse, v, {"print", "abort", "quiet"},
                                   {OnMisuse::kPrint, OnMisuse::kAbort, OnMisuse::kQuiet});
     }},
    {"record", "0 or 1", [](Settings& s, const char* v) { return store_integer(s.record, v, 0, 1); }},
    {"report", "a path",
     [](Settings& s, const char* v) {
       s.report = v;
       return true;
     }},
};

}  // namespace

Settings& settings() {
  static Settings* const instance = new Settings();
  return *instance;
}

bool set_setting(const char* key, const char* value) {
  for (const Key& known : kKeys) {
    if (std::strcmp(known.name, key) != 0) {
      continue;
    }
    if (known.store(settings(), value)) {
      return true;
    }
    std::fprintf(stderr, "CUDA stand-in: setting %s: '%s' is not allowed; allowed: %s\n", key, value, known.allowed);
    return false;
  }
  std::fprintf(stderr, "CUDA stand-in: setting '%s' is unknown; known:", key);
  for (const Key& known : kKeys) {
    std::fprintf(stderr, " %s", known.name);
  }
  std::fprintf(stderr, "\n");
  return false;
}

void restore_default_settings() {
  Settings& s = settings();
  const Settings fresh;
  s.mode = fresh.mode.load();
  s.delay_us = fresh.delay_us.load();
  s.devices = fresh.devices.load();
  s.driver = fresh.driver.load();
  s.memory_bytes = fresh.memory_bytes.load();
  s.oom_size = fresh.oom_size.load();
  s.oom_every = fresh.oom_every.load();
  s.pinned_oom = fresh.pinned_oom.load();
  s.integrated = fresh.integrated.load();
  s.pageable_access = fresh.pageable_access.load();
  s.pageable_deferred = fresh.pageable_deferred.load();
  s.fill = fresh.fill.load();
  s.on_misuse = fresh.on_misuse.load();
  s.record = fresh.record.load();
}

void read_environment() {
  for (const Key& known : kKeys) {
    std::string name = "STANDIN_CUDA_";
    for (const char* c = known.name; *c != '\0'; ++c) {
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    }
    const char* value = std::getenv(name.c_str());
    if (value != nullptr && !set_setting(known.name, value)) {
      // A misspelt setting must not turn a test into one of something else.
      std::abort();
    }
  }
}

void apply_settings() {
  const Settings& s = settings();
  watch(kNoDriver, !s.driver);
  watch(kNoDevice, s.devices == 0);
  watch(kRecording, s.record);
  watch(kHostFunctions, s.mode != Mode::kImmediate);
}

}  // namespace standins::cuda
