// Time and peak host memory of one load, above the mapping that holds the program's bytes.
// Usage: load_memory write FILE PLAN_BYTES      writes a blob whose plan has about that size
//        load_memory ours|hand FILE             loads it once through the delegate, or by hand through TensorRT;
//                                               prints {"ms": ..., "peak_bytes": ...}
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include <executorch/runtime/backend/interface.h>

#include "blob.h"
#include "contract/rig/blob.h"
#include "contract/rig/plans.h"
#include "contract/rig/program.h"
#include "engine_by_hand.h"

namespace {

using executorch::runtime::FreeableBuffer;

struct Mapping {
  const void* bytes;
  size_t size;
};

Mapping map_file(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat info{};
  if (file < 0 || fstat(file, &info) != 0) throw std::runtime_error(std::string(path) + " cannot be opened");
  const auto size = static_cast<size_t>(info.st_size);
  // Wholly resident from the start, so that only what a load adds counts.
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) throw std::runtime_error(std::string(path) + " cannot be mapped");
  return {bytes, size};
}

// A line of /proc/self/status, in bytes.
size_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key + ":", 0) == 0) return std::stoull(line.substr(key.size() + 1)) * 1024;
  }
  throw std::runtime_error("/proc/self/status has no " + key);
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double load_with_delegate(const Mapping& file) {
  const auto start = std::chrono::steady_clock::now();
  // The runtime's own contract: the bytes outlive init or are freed by it.
  FreeableBuffer processed(file.bytes, file.size, nullptr);
  executorch::runtime::BackendInitContext context(nullptr, nullptr, "forward");
  const auto handle = contract::backend()->init(context, &processed, {});
  if (!handle.ok()) throw std::runtime_error("the delegate refused the program");
  const auto end = std::chrono::steady_clock::now();
  contract::backend()->destroy(handle.get());
  return std::chrono::duration<double, std::milli>(end - start).count();
}

double load_by_hand(const Mapping& file) {
  const auto parts = executorch_backend_tensorrt::parse_blob({static_cast<const uint8_t*>(file.bytes), file.size});
  if (!parts.ok()) throw std::runtime_error("the blob was refused");
  const auto start = std::chrono::steady_clock::now();
  benchmarks::EngineByHand engine(parts->engine.data(), parts->engine.size());
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int write(const char* path, size_t plan_bytes) {
  std::ofstream(path, std::ios::binary) << contract::one_in_one_out(contract::plans::of_size(plan_bytes));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 2 ? argv[1] : "";
    if (what == "write" && argc == 4) return write(argv[2], std::stoull(argv[3]));
    if ((what != "ours" && what != "hand") || argc != 3) {
      std::fprintf(stderr, "usage: load_memory write FILE PLAN_BYTES | load_memory ours|hand FILE\n");
      return 2;
    }
    const Mapping file = map_file(argv[2]);
    cudaFree(nullptr);
    forget_peak();
    const size_t before = status_bytes("VmRSS");
    const double ms = what == "ours" ? load_with_delegate(file) : load_by_hand(file);
    const size_t peak = status_bytes("VmHWM");
    const size_t above = peak > before ? peak - before : 0;
    std::printf("%s\n", nlohmann::json({{"ms", ms}, {"peak_bytes", above}, {"file_bytes", file.size}}).dump().c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "load_memory: %s\n", problem.what());
    return 1;
  }
}
