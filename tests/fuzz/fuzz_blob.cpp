// The whole reader of a delegate blob: header, then the metadata it points at, then the plan's tag.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "blob.h"
#include "metadata.h"
#include "plan_tag.h"
#include "structured.h"

using executorch_backend_tensorrt::kBlobHeaderBytes;
using executorch_backend_tensorrt::parse_blob;
using executorch_backend_tensorrt::parse_metadata;
using executorch_backend_tensorrt::read_plan_version;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto blob = parse_blob({data, size});
  if (!blob.ok()) return 0;
  const auto* metadata = reinterpret_cast<const uint8_t*>(blob->metadata.data());
  // An accepted blob points inside itself, in the order the format promises.
  if (blob->metadata.size() > size || metadata < data + kBlobHeaderBytes) std::abort();
  if (metadata + blob->metadata.size() > blob->engine.data()) std::abort();
  if (blob->engine.size() == 0 || blob->engine.data() + blob->engine.size() > data + size) std::abort();
  (void)parse_metadata(blob->metadata);
  (void)read_plan_version(blob->engine.data(), blob->engine.size());
  return 0;
}

// Half of the mutations change the metadata and rebuild the header around it, so that they get past the header.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return fuzz::mutate_bytes(data, size, max_size);
  std::string json = fuzz::metadata_of(data, size);
  fuzz::mutate_json(json, seed);
  return fuzz::write_blob_around(json, seed, data, max_size);
}
