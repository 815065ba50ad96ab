#include "standins.h"

#include <dlfcn.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <tuple>

#include <standins/cuda_control.h>
#include <standins/tensorrt_control.h>

namespace contract {
namespace {

// The control function of that type and name, or null under the real library.
template <typename Function>
Function* control(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}
#define CONTROL(name) control<decltype(name)>(#name)

void require(bool accepted, const std::string& what) {
  if (!accepted) {
    throw std::invalid_argument("rig: the stand-in does not take " + what);
  }
}

template <typename Call, typename Read>
std::vector<std::string> names_from(size_t begin, Read* read) {
  std::vector<Call> calls(read == nullptr ? 0 : read(nullptr, 0));
  if (!calls.empty()) {
    calls.resize(std::min(calls.size(), read(calls.data(), calls.size())));
  }
  std::vector<std::string> names;
  for (size_t i = begin; i < calls.size(); ++i) {
    names.emplace_back(calls[i].name);
  }
  return names;
}

template <typename Count, typename Line>
void append_lines(std::vector<std::string>& to, Count* count, Line* line) {
  for (size_t i = 0; count != nullptr && i < count(); ++i) {
    to.emplace_back(line(i));
  }
}

auto fields(const Live& l) {
  return std::tie(l.device_allocations, l.device_bytes, l.host_blocks, l.streams, l.events, l.graphs, l.graph_execs,
                  l.runtimes, l.engines, l.contexts, l.others);
}

}  // namespace

bool cuda_is_simulated() { return CONTROL(standin_cuda_set) != nullptr; }

bool tensorrt_is_simulated() { return CONTROL(standin_tensorrt_set) != nullptr; }

void set_cuda(const std::string& key, const std::string& value) {
  if (auto* set = CONTROL(standin_cuda_set)) {
    require(set(key.c_str(), value.c_str()) == 0, key + "=" + value);
  }
}

void set_cuda(const std::string& key, int64_t value) { set_cuda(key, std::to_string(value)); }

void set_tensorrt(const std::string& key, const std::string& value) {
  if (auto* set = CONTROL(standin_tensorrt_set)) {
    require(set(key.c_str(), value.c_str()) == 0, key + "=" + value);
  }
}

void reset_standins() {
  if (auto* drain = CONTROL(standin_cuda_drain)) {
    drain();
  }
  if (auto* reset = CONTROL(standin_cuda_reset)) {
    reset();
  }
  if (auto* reset = CONTROL(standin_tensorrt_reset)) {
    reset();
  }
  (void)cudaGetLastError();
  set_cuda("on_misuse", "quiet");
  set_tensorrt("on_misuse", "quiet");
}

void fail_cuda(const std::string& name, uint64_t nth, cudaError_t error) {
  if (auto* fail = CONTROL(standin_cuda_fail)) {
    require(fail(name.c_str(), nth, error) == 0, "a failure of " + name);
  }
}

void fail_tensorrt(const std::string& name, uint64_t nth) {
  if (auto* fail = CONTROL(standin_tensorrt_fail)) {
    require(fail(name.c_str(), nth) == 0, "a failure of " + name);
  }
}

void clear_failures() {
  if (auto* clear = CONTROL(standin_cuda_clear_failures)) {
    clear();
  }
  if (auto* clear = CONTROL(standin_tensorrt_clear_failures)) {
    clear();
  }
}

uint64_t injected_failures() {
  auto* cuda = CONTROL(standin_cuda_injected_count);
  auto* tensorrt = CONTROL(standin_tensorrt_injected_count);
  return (cuda ? cuda() : 0) + (tensorrt ? tensorrt() : 0);
}

std::string last_injected() {
  auto* cuda = CONTROL(standin_cuda_last_injected);
  auto* tensorrt = CONTROL(standin_tensorrt_last_injected);
  return std::string(cuda ? cuda() : "") + (tensorrt ? tensorrt() : "");
}

Calls::Calls() {
  if (auto* reset = CONTROL(standin_cuda_reset_counts)) {
    reset();
  }
  if (auto* reset = CONTROL(standin_tensorrt_reset_counts)) {
    reset();
  }
}

uint64_t Calls::cuda(const std::string& name) const {
  auto* count = CONTROL(standin_cuda_count);
  return count ? count(name.c_str()) : 0;
}

uint64_t Calls::tensorrt(const std::string& name) const {
  auto* count = CONTROL(standin_tensorrt_count);
  return count ? count(name.c_str()) : 0;
}

CallRecord::CallRecord() {
  set_cuda("record", 1);
  set_tensorrt("record", "1");
  auto* cuda = CONTROL(standin_cuda_calls);
  auto* tensorrt = CONTROL(standin_tensorrt_calls);
  cuda_before_ = cuda ? cuda(nullptr, 0) : 0;
  tensorrt_before_ = tensorrt ? tensorrt(nullptr, 0) : 0;
}

CallRecord::~CallRecord() {
  set_cuda("record", 0);
  set_tensorrt("record", "0");
}

std::vector<std::string> CallRecord::cuda() const {
  return names_from<StandinCudaCall>(cuda_before_, CONTROL(standin_cuda_calls));
}

std::vector<std::string> CallRecord::tensorrt() const {
  return names_from<StandinTensorRtCall>(tensorrt_before_, CONTROL(standin_tensorrt_calls));
}

Live live(int device) {
  Live now;
  if (auto* read = CONTROL(standin_cuda_ledger)) {
    StandinCudaLedger ledger{};
    read(device, &ledger);
    now.device_allocations = ledger.allocations;
    now.device_bytes = ledger.bytes;
    now.host_blocks = ledger.host_blocks;
    now.streams = ledger.streams;
    now.events = ledger.events;
    now.graphs = ledger.graphs;
    now.graph_execs = ledger.graph_execs;
  }
  if (auto* read = CONTROL(standin_tensorrt_ledger)) {
    StandinTensorRtLedger ledger{};
    read(&ledger);
    now.runtimes = ledger.runtimes;
    now.engines = ledger.engines;
    now.contexts = ledger.contexts;
    now.others = ledger.others;
  }
  return now;
}

bool operator==(const Live& a, const Live& b) { return fields(a) == fields(b); }

std::ostream& operator<<(std::ostream& out, const Live& l) {
  return out << l.device_allocations << " device allocations of " << l.device_bytes << " bytes, " << l.host_blocks
             << " host blocks, " << l.streams << " streams, " << l.events << " events, " << l.graphs << " graphs, "
             << l.graph_execs << " executable graphs, " << l.runtimes << " runtimes, " << l.engines << " engines, "
             << l.contexts << " contexts, " << l.others << " others";
}

uint64_t pending_work() {
  auto* pending = CONTROL(standin_cuda_pending);
  return pending ? pending(nullptr) : 0;
}

uint64_t launches_in_flight() {
  auto* pending = CONTROL(standin_tensorrt_pending);
  return pending ? pending() : 0;
}

uint64_t peak_contexts() {
  StandinTensorRtLedger ledger{};
  if (auto* read = CONTROL(standin_tensorrt_ledger)) {
    read(&ledger);
  }
  return ledger.peak_contexts;
}

uint64_t peak_busy_streams() {
  auto* peak = CONTROL(standin_cuda_peak_busy_streams);
  return peak ? peak() : 0;
}

void queue_fault(cudaStream_t stream, cudaError_t error) {
  if (auto* queue = CONTROL(standin_cuda_queue_fault)) {
    require(queue(stream, error) == 0, "a fault");
  }
}

std::vector<std::string> misuse() {
  std::vector<std::string> lines;
  append_lines(lines, CONTROL(standin_cuda_misuse_count), CONTROL(standin_cuda_misuse));
  append_lines(lines, CONTROL(standin_tensorrt_misuse_count), CONTROL(standin_tensorrt_misuse));
  return lines;
}

}  // namespace contract
