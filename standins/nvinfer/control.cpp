// The control interface: settings by call and by environment, and the report at exit.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

#include "calls.h"
#include "runtime.h"

namespace standins {
namespace {

constexpr std::array<uint8_t, 4> kDefaultVersion{11, 4, 0, 106};

struct Text {
  std::mutex mutex;
  std::array<uint8_t, 4> version = kDefaultVersion;
  std::string load_refusal;
  std::string report;
};
Text& text() {
  static Text* const instance = new Text;
  return *instance;
}

bool set_version(const std::string& value) {
  unsigned parts[4];
  char rest = 0;
  if (std::sscanf(value.c_str(), "%u.%u.%u.%u%c", &parts[0], &parts[1], &parts[2], &parts[3],
                  &rest) != 4) {
    return false;
  }
  std::array<uint8_t, 4> version{};
  for (std::size_t i = 0; i < 4; ++i) {
    if (parts[i] > 255) return false;
    version[i] = static_cast<uint8_t>(parts[i]);
  }
  const std::lock_guard<std::mutex> lock(text().mutex);
  text().version = version;
  return true;
}

// NAME:N or NAME:N+, several with commas. Names hold "::", so the last colon counts.
bool set_failures(const std::string& value) {
  std::size_t begin = 0;
  while (begin < value.size()) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const std::string item = value.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = item.rfind(':');
    if (colon == std::string::npos) return false;
    char* rest = nullptr;
    const uint64_t nth = std::strtoull(item.c_str() + colon + 1, &rest, 10);
    const bool stays = *rest == '+';
    if (*(rest + stays) != '\0' || !arm_failure(item.substr(0, colon).c_str(), nth, stays)) {
      return false;
    }
  }
  return true;
}

// Index of `value` among `names`, -1 when it is none.
int choose(const std::string& value, std::initializer_list<const char*> names) {
  int index = 0;
  for (const char* name : names) {
    if (value == name) return index;
    ++index;
  }
  return -1;
}

bool set_alignment(const std::string& value) {
  const int index = choose(value, {"1", "2", "4", "8", "16", "32", "64", "128", "256"});
  if (index >= 0) settings().alignment = 1 << index;
  return index >= 0;
}

bool set_text(std::string Text::* member, const std::string& value) {
  const std::lock_guard<std::mutex> lock(text().mutex);
  text().*member = value;
  return true;
}

bool apply(const std::string& key, const std::string& value) {
  if (key == "version") return set_version(value);
  if (key == "fail") return set_failures(value);
  if (key == "load_refusal") return set_text(&Text::load_refusal, value);
  if (key == "report") return set_text(&Text::report, value);
  if (key == "alignment") return set_alignment(value);
  if (key == "enqueue") {
    const int index = choose(value, {"plan", "ok", "refused", "faults"});
    if (index >= 0) settings().enqueue = index - 1;
    return index >= 0;
  }
  if (key == "on_misuse") {
    const int index = choose(value, {"print", "abort", "quiet"});
    if (index >= 0) set_on_misuse(static_cast<OnMisuse>(index));
    return index >= 0;
  }
  const int flag = choose(value, {"0", "1"});
  if (flag < 0) return false;
  if (key == "log_verbose") {
    settings().log_verbose = flag == 1;
  } else if (key == "record") {
    set_recording(flag == 1);
  } else {
    return false;
  }
  return true;
}

constexpr const char* kKeys[] = {"version",     "fail",      "load_refusal", "enqueue", "alignment",
                                 "log_verbose", "on_misuse", "record",       "report"};

void write_report() {
  std::string path;
  {
    const std::lock_guard<std::mutex> lock(text().mutex);
    path = text().report;
  }
  if (path.empty()) return;
  if (const auto mark = path.find("%p"); mark != std::string::npos) {
    path.replace(mark, 2, std::to_string(getpid()));
  }
  nlohmann::json report;
  report["counts"] = nlohmann::json::object();
  for (std::size_t i = 0; standin_tensorrt_call_name(i) != nullptr; ++i) {
    const char* const name = standin_tensorrt_call_name(i);
    if (const uint64_t count = call_count(name); count != 0) report["counts"][name] = count;
  }
  StandinTensorRtLedger ledger;
  standin_tensorrt_ledger(&ledger);
  report["ledger"] = {
      {"runtimes", ledger.runtimes},           {"engines", ledger.engines},
      {"contexts", ledger.contexts},           {"others", ledger.others},
      {"peak_contexts", ledger.peak_contexts}, {"total_runtimes", ledger.total_runtimes},
      {"total_engines", ledger.total_engines}, {"total_contexts", ledger.total_contexts}};
  report["finished"] = standin_tensorrt_finished();
  report["pending"] = standin_tensorrt_pending();
  report["underaligned_addresses"] = standin_tensorrt_underaligned_addresses();
  report["misuse"] = nlohmann::json::array();
  for (std::size_t i = 0; i < misuse_count(); ++i) report["misuse"].push_back(misuse_line(i));
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "TensorRT stand-in: report %s cannot be written\n", path.c_str());
    return;
  }
  const std::string dump = report.dump(1) + "\n";
  std::fwrite(dump.data(), 1, dump.size(), file);
  std::fclose(file);
}

__attribute__((constructor)) void read_environment() {
  for (const char* key : kKeys) {
    std::string name = std::string("STANDIN_TENSORRT_") + key;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    const char* const value = std::getenv(name.c_str());
    if (value != nullptr) standin_tensorrt_set(key, value);
  }
}
__attribute__((destructor)) void at_exit() { write_report(); }

}  // namespace

Settings& settings() {
  static Settings* const instance = new Settings;
  return *instance;
}
std::array<uint8_t, 4> library_version() {
  const std::lock_guard<std::mutex> lock(text().mutex);
  return text().version;
}
std::string load_refusal() {
  const std::lock_guard<std::mutex> lock(text().mutex);
  return text().load_refusal;
}

}  // namespace standins

using namespace standins;

#define STANDIN_EXPORT __attribute__((visibility("default")))

extern "C" {

STANDIN_EXPORT int standin_tensorrt_set(const char* key, const char* value) {
  if (key != nullptr && value != nullptr && apply(key, value)) return 0;
  std::fprintf(stderr,
               "TensorRT stand-in: setting %s=%s is unknown or malformed; see tensorrt_control.h\n",
               key != nullptr ? key : "null", value != nullptr ? value : "null");
  return 1;
}

STANDIN_EXPORT void standin_tensorrt_reset(void) {
  {
    const std::lock_guard<std::mutex> lock(text().mutex);
    text().version = kDefaultVersion;
    text().load_refusal.clear();
  }
  settings().alignment = 1;
  settings().enqueue = -1;
  settings().log_verbose = false;
  set_on_misuse(OnMisuse::kPrint);
  set_recording(false);
  clear_failures();
  clear_misuse();
  standin_tensorrt_reset_counts();
}

STANDIN_EXPORT uint64_t standin_tensorrt_count(const char* name) { return call_count(name); }
STANDIN_EXPORT void standin_tensorrt_reset_counts(void) {
  reset_counts();
  Live& now = live();
  now.peak_contexts = now.contexts.load();
  now.total_runtimes = now.total_engines = now.total_contexts = 0;
  now.finished = now.underaligned = 0;
}
STANDIN_EXPORT const char* standin_tensorrt_call_name(size_t index) {
  return index < static_cast<size_t>(Method::kCount) ? method_name(static_cast<Method>(index))
                                                     : nullptr;
}
STANDIN_EXPORT int standin_tensorrt_call_can_fail(size_t index) {
  return index < static_cast<size_t>(Method::kCount) && can_fail(static_cast<Method>(index));
}
STANDIN_EXPORT int standin_tensorrt_fail(const char* name, uint64_t nth) {
  return arm_failure(name, nth, false) ? 0 : 1;
}
STANDIN_EXPORT void standin_tensorrt_clear_failures(void) { clear_failures(); }
STANDIN_EXPORT uint64_t standin_tensorrt_injected_count(void) { return injected_count(); }
STANDIN_EXPORT const char* standin_tensorrt_last_injected(void) { return last_injected(); }
STANDIN_EXPORT size_t standin_tensorrt_calls(StandinTensorRtCall* out, size_t capacity) {
  return copy_calls(out, capacity);
}
STANDIN_EXPORT void standin_tensorrt_ledger(StandinTensorRtLedger* out) {
  const Live& now = live();
  *out = {now.runtimes,      now.engines,        now.contexts,      now.others,
          now.peak_contexts, now.total_runtimes, now.total_engines, now.total_contexts};
}
STANDIN_EXPORT uint64_t standin_tensorrt_pending(void) { return live().pending; }
STANDIN_EXPORT uint64_t standin_tensorrt_finished(void) { return live().finished; }
STANDIN_EXPORT uint64_t standin_tensorrt_underaligned_addresses(void) {
  return live().underaligned;
}
STANDIN_EXPORT uint64_t standin_tensorrt_misuse_count(void) { return misuse_count(); }
STANDIN_EXPORT const char* standin_tensorrt_misuse(size_t index) { return misuse_line(index); }

}  // extern "C"
