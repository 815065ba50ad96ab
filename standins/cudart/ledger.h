// Live objects per device.
#ifndef STANDINS_CUDART_LEDGER_H_
#define STANDINS_CUDART_LEDGER_H_

#include <atomic>
#include <cstdint>

#include "settings.h"
#include "standins/cuda_control.h"

namespace standins::cuda {

struct DeviceLedger {
  std::atomic<uint64_t> allocations{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> peak_bytes{0};
  std::atomic<uint64_t> host_blocks{0};
  std::atomic<uint64_t> streams{0};
  std::atomic<uint64_t> events{0};
  std::atomic<uint64_t> graphs{0};
  std::atomic<uint64_t> graph_execs{0};
  std::atomic<uint64_t> total_allocations{0};
};
DeviceLedger& ledger(int device_index);
void sum_ledger(int device_index, StandinCudaLedger* out);
// Peaks and totals start again from what is live now.
void restart_ledger();
// Writes the at-exit report to the configured path, if any.
void write_report();

}  // namespace standins::cuda
#endif  // STANDINS_CUDART_LEDGER_H_
