// Reading a blob's header and metadata, against the number of bindings: linear, and nothing beside the reading.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <benchmark/benchmark.h>

#include "blob.h"
#include "metadata.h"

namespace {

using executorch_backend_tensorrt::parse_blob;
using executorch_backend_tensorrt::parse_metadata;

std::string metadata_with(int64_t bindings) {
  std::string json = R"({"io_bindings":[)";
  for (int64_t i = 0; i < bindings; ++i) {
    if (i != 0) json += ',';
    json += R"({"name":"tensor_)" + std::to_string(i) + R"(","dtype":"float32","shape":[1,3,224,224],"is_input":)" +
            (i % 2 == 0 ? "true}" : "false}");
  }
  return json + R"(],"hardware_compatible":false,"device_id":0,"target_platform":"linux_x86_64"})";
}

std::string blob_with(int64_t bindings) {
  const std::string json = metadata_with(bindings);
  const uint32_t metadata_offset = 32;
  const auto metadata_size = static_cast<uint32_t>(json.size());
  const uint32_t engine_offset = (metadata_offset + metadata_size + 15) / 16 * 16;
  const uint64_t engine_size = 64;
  std::string blob(engine_offset + engine_size, '\0');
  std::memcpy(&blob[0], "TR01", 4);
  std::memcpy(&blob[4], &metadata_offset, 4);
  std::memcpy(&blob[8], &metadata_size, 4);
  std::memcpy(&blob[12], &engine_offset, 4);
  std::memcpy(&blob[16], &engine_size, 8);
  std::memcpy(&blob[32], json.data(), json.size());
  return blob;
}

void parse(benchmark::State& state) {
  const std::string blob = blob_with(state.range(0));
  for (auto _ : state) {
    auto parts = parse_blob({reinterpret_cast<const uint8_t*>(blob.data()), blob.size()});
    if (!parts.ok()) {
      state.SkipWithError("the blob was refused");
      break;
    }
    auto metadata = parse_metadata(parts->metadata);
    if (!metadata.ok() || metadata->bindings.size() != static_cast<size_t>(state.range(0))) {
      state.SkipWithError("the metadata was refused");
      break;
    }
    benchmark::DoNotOptimize(metadata->device_id);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(parse)->Arg(1)->Arg(100)->Arg(10000)->Complexity(benchmark::oN);

}  // namespace

BENCHMARK_MAIN();
