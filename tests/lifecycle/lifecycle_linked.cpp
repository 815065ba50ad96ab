// Ends of a program's life in a process that links the delegate.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <standins/cuda_control.h>

#include "rig/log.h"
#include "rig/standins.h"
#include "use.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEAP_IS_OUR_OWN 0
#else
#define HEAP_IS_OUR_OWN 1
#endif

namespace lifecycle {
namespace {

using contract::Program;

constexpr int kReloads = 1000;
constexpr int kWarmUp = 300;  // loads until every pool has its size
// Chunks that glibc keeps for a thread count as in use; a leak of 24 bytes a load is still seen.
constexpr size_t kMostGrowth = 16384;

// Made before CUDA is used, so destroyed after CUDA has begun to go.
std::unique_ptr<Program> g_static;

void leaked_until_exit() {
  static Program* leaked = nullptr;
  leaked = load_add_one().release();
  run_add_one(*leaked);
}

void static_lifetime() {
  g_static = load_add_one(true);
  run_add_one(*g_static, 3);
}

void static_made_after_loading() {
  std::unique_ptr<Program> made = load_add_one();
  run_add_one(*made);
  static const std::unique_ptr<Program> kept = std::move(made);
}

void exit_from_a_thread() {
  std::thread([] {
    g_static = load_add_one();
    run_add_one(*g_static);
    std::exit(0);
  }).join();
  require(false, "exit ends the process");
}

void loaded_by_a_thread_that_ended() {
  std::unique_ptr<Program> program;
  std::thread([&] {
    program = load_add_one(true);
    run_add_one(*program, 3);
  }).join();
  run_add_one(*program, 3);
  std::thread([&] { program.reset(); }).join();
  require(contract::live().device_allocations == 0, "nothing is left on the device");
}

void fork_before_first_use() {
  require(standin_cuda_count("*") == 0, "registering calls nothing of CUDA");
  const pid_t child = fork();
  if (child == 0) {
    run_add_one(*load_add_one());
    std::exit(0);
  }
  int status = -1;
  require(waitpid(child, &status, 0) == child && status == 0, "the child loads and runs");
  run_add_one(*load_add_one());
}

size_t heap_bytes() { return HEAP_IS_OUR_OWN ? mallinfo2().uordblks : 0; }

template <class Once>
void expect_flat(Once&& once) {
  contract::Live live_before;
  size_t heap_before = 0;
  for (int i = 0; i < kReloads; ++i) {
    if (i == kWarmUp) {
      heap_before = heap_bytes();
      live_before = contract::live();
    }
    once(i);
  }
  const size_t heap_after = heap_bytes();
  std::printf("%d loads: host heap %zu bytes after %d of them, %zu after all\n", kReloads, heap_before, kWarmUp,
              heap_after);
  require(heap_after <= heap_before + kMostGrowth, "host memory stays flat");
  require(contract::live() == live_before, "no object is left over");
  StandinCudaLedger ledger{};
  standin_cuda_ledger(-1, &ledger);
  require(ledger.allocations == 0 && ledger.bytes == 0, "device memory is all given back");
}

void reloads() {
  contract::set_cuda("mode", "immediate");
  expect_flat([](int) { run_add_one(*load_add_one()); });
}

void reloads_with_graphs() {
  contract::set_cuda("mode", "immediate");
  expect_flat([](int) { run_add_one(*load_add_one(true), 3); });
}

// ExecuTorch does not call destroy after an init that failed.
void reloads_that_fail() {
  contract::set_cuda("mode", "immediate");
  static const struct {
    const char* call;
    uint64_t nth;
  } failing[] = {{"cudaMalloc", 1}, {"cudaMalloc", 2}, {"cudaDeviceGetAttribute", 1}, {"cudaGetDevice", 1}};
  static const char* const refused[] = {"ICudaEngine::createExecutionContext", "IRuntime::deserializeCudaEngine",
                                        "IExecutionContext::inferShapes"};
  run_add_one(*load_add_one());
  expect_flat([](int i) {
    const contract::ScopedLog log;
    if (i % 2 == 0) {
      contract::fail_cuda(failing[i / 2 % 4].call, failing[i / 2 % 4].nth);
    } else {
      contract::fail_tensorrt(refused[i / 2 % 3]);
    }
    const contract::Loaded loaded = contract::load(add_one_request());
    contract::clear_failures();
    require(loaded.program == nullptr, "the load fails");
  });
}

const Cases kCases = {
    {"leaked_until_exit", leaked_until_exit},
    {"static_lifetime", static_lifetime},
    {"static_made_after_loading", static_made_after_loading},
    {"exit_from_a_thread", exit_from_a_thread},
    {"loaded_by_a_thread_that_ended", loaded_by_a_thread_that_ended},
    {"fork_before_first_use", fork_before_first_use},
    {"reloads", reloads},
    {"reloads_with_graphs", reloads_with_graphs},
    {"reloads_that_fail", reloads_that_fail},
};

}  // namespace
}  // namespace lifecycle

int main(int argc, char** argv) { return lifecycle::run_case(lifecycle::kCases, argc, argv); }
