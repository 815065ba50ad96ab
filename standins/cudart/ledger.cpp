#include "ledger.h"

#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "state.h"

namespace standins::cuda {

DeviceLedger& ledger(int device_index) {
  static DeviceLedger* const ledgers = new DeviceLedger[kMaxDevices];
  return ledgers[device_index];
}

void sum_ledger(int device_index, StandinCudaLedger* out) {
  *out = {};
  for (int i = 0; i < kMaxDevices; ++i) {
    if (device_index >= 0 && i != device_index) {
      continue;
    }
    const DeviceLedger& l = ledger(i);
    out->allocations += l.allocations;
    out->bytes += l.bytes;
    out->peak_bytes += l.peak_bytes;
    out->host_blocks += l.host_blocks;
    out->streams += l.streams;
    out->events += l.events;
    out->graphs += l.graphs;
    out->graph_execs += l.graph_execs;
    out->total_allocations += l.total_allocations;
  }
}

void restart_ledger() {
  for (int i = 0; i < kMaxDevices; ++i) {
    ledger(i).peak_bytes = ledger(i).bytes.load();
    ledger(i).total_allocations = 0;
  }
}

namespace {

nlohmann::json ledger_json(int device_index) {
  StandinCudaLedger l;
  sum_ledger(device_index, &l);
  return {{"device", device_index},
          {"allocations", l.allocations},
          {"bytes", l.bytes},
          {"peak_bytes", l.peak_bytes},
          {"host_blocks", l.host_blocks},
          {"streams", l.streams},
          {"events", l.events},
          {"graphs", l.graphs},
          {"graph_execs", l.graph_execs},
          {"total_allocations", l.total_allocations}};
}

}  // namespace

void write_report() {
  std::string path = settings().report;
  if (path.empty()) {
    return;
  }
  if (const size_t mark = path.find("%p"); mark != std::string::npos) {
    path.replace(mark, 2, std::to_string(getpid()));
  }
  nlohmann::json report;
  report["counts"] = nlohmann::json::object();
  for (size_t i = 0; i < g_counts.size(); ++i) {
    if (const uint64_t count = g_counts[i]; count != 0) {
      report["counts"][kFunctions[i].name] = count;
    }
  }
  report["ledger"] = nlohmann::json::array();
  for (int i = 0; i < settings().devices; ++i) {
    report["ledger"].push_back(ledger_json(i));
  }
  report["injected"] = injected_count();
  report["misuse"] = nlohmann::json::array();
  for (size_t i = 0; const char* line = misuse_line(i); ++i) {
    report["misuse"].push_back(line);
  }
  std::ofstream(path) << report.dump(2) << "\n";
}

// Behind every library that calls this one, as the loader orders it.
__attribute__((destructor)) static void report_at_exit() {
  ensure_started();
  write_report();
}

}  // namespace standins::cuda
