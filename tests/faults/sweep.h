// Makes every call fail in turn and judges what comes of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "expectations.h"
#include "scenarios.h"

namespace faults {

struct Tally {
  std::set<std::string> sites;  // phase and name of the call
  uint64_t injected = 0;
};
Tally& tally();

// `follow_up` loads and runs again after each failure. Failures are gtest's.
void sweep_init(const Scenario& scenario, bool follow_up);
void sweep_execute(const Scenario& scenario);
void sweep_destroy(const Scenario& scenario);

}  // namespace faults
