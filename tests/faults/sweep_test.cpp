#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "rig/standins.h"
#include "sweep.h"

namespace faults {
namespace {

class FaultSweep : public testing::TestWithParam<Scenario> {
 protected:
  void TearDown() override { contract::reset_standins(); }
};

// First in the process: no program has made the TensorRT runtime stay yet.
TEST(FaultSweepFirst, InitThatFailsKeepsNoRuntime) { sweep_init(scenarios().front(), false); }

TEST_P(FaultSweep, Init) { sweep_init(GetParam(), true); }
TEST_P(FaultSweep, Execute) { sweep_execute(GetParam()); }
TEST_P(FaultSweep, Destroy) { sweep_destroy(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Over, FaultSweep, testing::ValuesIn(scenarios()),
                         [](const auto& test) { return test.param.name; });

// Says how far the sweep reached, and fails when it reached nothing.
class Summary : public testing::Environment {
 public:
  void TearDown() override {
    for (const std::string& site : tally().sites) {
      std::printf("  %s\n", site.c_str());
    }
    std::printf("fault sweep: %zu call sites reached, %llu failures injected over %zu scenarios\n",
                tally().sites.size(), static_cast<unsigned long long>(tally().injected), scenarios().size());
    EXPECT_GT(tally().injected, 0u);
  }
};
testing::Environment* const g_summary = testing::AddGlobalTestEnvironment(new Summary);

}  // namespace
}  // namespace faults
