#include "sweep.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <standins/tensorrt_control.h>

#include "rig/log.h"
#include "rig/standins.h"

namespace faults {
namespace {

using contract::Loaded;
using contract::ScopedLog;

constexpr int kCallersDevice = 1;
constexpr const char* kRestoring = "restoring the caller's device";

// One call of a clean run: the nth of its name.
struct Site {
  bool is_cuda;
  std::string call;
  uint64_t nth;
};

void prepare_standins(const Scenario& scenario) {
  contract::reset_standins();
  contract::set_cuda("mode", "lazy");
  contract::set_cuda("devices", "2");
  for (const auto& [key, value] : scenario.cuda_settings) {
    contract::set_cuda(key, value);
  }
  ASSERT_EQ(cudaSetDevice(kCallersDevice), cudaSuccess);
}

bool is_failable(bool is_cuda, const std::string& call) {
  if (is_cuda) {
    static const std::set<std::string> pure = {"cudaGetLastError", "cudaPeekAtLastError",  "cudaGetErrorString",
                                               "cudaGetErrorName", "cudaDriverGetVersion", "cudaRuntimeGetVersion"};
    return pure.count(call) == 0;
  }
  for (size_t i = 0; const char* known = standin_tensorrt_call_name(i); ++i) {
    if (call == known) {
      return standin_tensorrt_call_can_fail(i) != 0;
    }
  }
  return false;
}

// The calls that can fail and that `body` makes when all goes well.
template <class Body>
std::vector<Site> record_sites(Body&& body) {
  std::vector<Site> sites;
  const contract::CallRecord record;
  body();
  for (const bool is_cuda : {true, false}) {
    std::map<std::string, uint64_t> seen;
    for (const std::string& call : is_cuda ? record.cuda() : record.tensorrt()) {
      if (is_failable(is_cuda, call)) {
        sites.push_back({is_cuda, call, ++seen[call]});
      }
    }
  }
  return sites;
}

void arm(const Site& site) {
  if (site.is_cuda) {
    contract::fail_cuda(site.call, site.nth, plausible_error(site.call));
  } else {
    contract::fail_tensorrt(site.call, site.nth);
  }
}

// What can be checked after every failure, whatever the phase.
void judge(Phase phase, const Site& site, Error error, const ScopedLog& log) {
  ASSERT_EQ(contract::injected_failures(), 1u) << "a clean run made the call and this one did not";
  contract::clear_failures();
  tally().sites.insert(name_of(phase) + " " + site.call);
  ++tally().injected;
  int device = -1;
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  // The one failure that cannot be made good: it must be said, and the rig puts the device back.
  const bool was_restoring = site.call == "cudaSetDevice" && log.count({kRestoring}) > 0;
  if (was_restoring) {
    EXPECT_EQ(error, Error::Ok);
    ASSERT_EQ(cudaSetDevice(kCallersDevice), cudaSuccess);
  } else {
    EXPECT_EQ(device, kCallersDevice) << "the caller's device was not restored";
    const Expectation* expected = expect(phase, site.call);
    ASSERT_NE(expected, nullptr) << "no expectation for this call; answer " << static_cast<int>(error) << ", log:\n"
                                 << log.text();
    const auto& allowed = expected->errors;
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), error), allowed.end())
        << "answer " << static_cast<int>(error) << ", log:\n"
        << log.text();
    EXPECT_TRUE(expected->named.empty() || log.has({expected->named}));
  }
  EXPECT_TRUE(log.nothing_cut());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "the caller would find CUDA's last error set";
  EXPECT_EQ(contract::pending_work(), 0u) << "work was left on a stream";
  // When the engine's device cannot be made current its memory is given back all the same.
  const bool is_on_wrong_device =
      phase == Phase::kDestroy && (site.call == "cudaGetDevice" || site.call == "cudaSetDevice");
  for (const std::string& line : contract::misuse()) {
    if (is_on_wrong_device && line.find("destroyed with GPU") != std::string::npos) {
      continue;
    }
    ADD_FAILURE() << "wrong use: " << line;
  }
}

void run_rightly(Program& program, Session& session, int call) {
  session.prepare(call);
  ASSERT_EQ(session.execute(program, call), Error::Ok);
  EXPECT_TRUE(session.is_right(call)) << "wrong output of call " << call;
}

std::string text_of(const Scenario& scenario, const Site& site) {
  return scenario.name + ": call " + std::to_string(site.nth) + " of " + site.call;
}

void expect_alive(const contract::Live& before, bool with_runtimes) {
  contract::Live wanted = before;
  contract::Live now = contract::live();
  if (!with_runtimes) {
    wanted.runtimes = now.runtimes = 0;
  }
  EXPECT_EQ(now, wanted) << "something was left behind";
}

void load_and_run(const Scenario& scenario) {
  const auto session = scenario.session();
  const Loaded loaded = contract::load(scenario.request());
  ASSERT_EQ(loaded.error, Error::Ok);
  run_rightly(*loaded.program, *session, 0);
}

}  // namespace

Tally& tally() {
  static Tally instance;
  return instance;
}

void sweep_init(const Scenario& scenario, bool follow_up) {
  prepare_standins(scenario);
  std::vector<Site> sites;
  if (follow_up) {
    load_and_run(scenario);  // from here on the process has its runtime
    Loaded clean{};
    sites = record_sites([&] { clean = contract::load(scenario.request()); });
    ASSERT_EQ(clean.error, Error::Ok);
  } else {
    // Before any program succeeded, a load makes a TensorRT runtime: nothing may keep it afterwards.
    sites = {{false, "createInferRuntime_INTERNAL", 1}, {false, "IRuntime::deserializeCudaEngine", 1}};
  }
  for (const Site& site : sites) {
    SCOPED_TRACE("init, " + text_of(scenario, site));
    prepare_standins(scenario);
    const contract::Live before = contract::live();
    {
      const ScopedLog log;
      arm(site);
      const Loaded loaded = contract::load(scenario.request());
      judge(Phase::kInit, site, loaded.error, log);
      EXPECT_EQ(loaded.program != nullptr, loaded.error == Error::Ok);
    }
    expect_alive(before, true);
    if (follow_up) {
      load_and_run(scenario);
    }
  }
}

void sweep_execute(const Scenario& scenario) {
  for (int call = 0; call < scenario.calls; ++call) {
    prepare_standins(scenario);
    // On a fresh load, the calls before went well; `body` gets the one that is swept.
    const auto with_program = [&](auto&& body) {
      const auto session = scenario.session();
      const Loaded loaded = contract::load(scenario.request());
      ASSERT_EQ(loaded.error, Error::Ok);
      for (int before = 0; before < call; ++before) {
        run_rightly(*loaded.program, *session, before);
      }
      session->prepare(call);
      body(*loaded.program, *session);
    };
    std::vector<Site> sites;
    with_program([&](Program& program, Session& session) {
      sites = record_sites([&] { ASSERT_EQ(session.execute(program, call), Error::Ok); });
    });
    ASSERT_FALSE(sites.empty());
    for (const Site& site : sites) {
      SCOPED_TRACE("execute " + std::to_string(call) + ", " + text_of(scenario, site));
      prepare_standins(scenario);
      const contract::Live before = contract::live();
      with_program([&](Program& program, Session& session) {
        Error error = Error::Ok;
        {
          const ScopedLog log;
          arm(site);
          error = session.execute(program, call);
          judge(Phase::kExecute, site, error, log);
        }
        EXPECT_TRUE(error != Error::Ok || session.is_right(call)) << "Ok and a wrong output";
        run_rightly(program, session, call);
        run_rightly(program, session, call);
      });
      expect_alive(before, false);
    }
  }
}

void sweep_destroy(const Scenario& scenario) {
  prepare_standins(scenario);
  const auto loaded_and_run = [&] {
    const auto session = scenario.session();
    Loaded loaded = contract::load(scenario.request());
    EXPECT_EQ(loaded.error, Error::Ok);
    for (int call = 0; call < scenario.calls; ++call) {
      run_rightly(*loaded.program, *session, call);
    }
    return std::move(loaded.program);
  };
  std::unique_ptr<Program> program = loaded_and_run();
  const std::vector<Site> sites = record_sites([&] { program.reset(); });
  ASSERT_FALSE(sites.empty());
  for (const Site& site : sites) {
    SCOPED_TRACE("destroy, " + text_of(scenario, site));
    prepare_standins(scenario);
    const contract::Live before = contract::live();
    program = loaded_and_run();
    {
      const ScopedLog log;
      arm(site);
      program.reset();
      judge(Phase::kDestroy, site, Error::Ok, log);
    }
    expect_alive(before, false);
    load_and_run(scenario);
  }
}

}  // namespace faults
