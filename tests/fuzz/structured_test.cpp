#include "structured.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <gmock/gmock.h>

#include "blob.h"
#include "inspect_report.h"
#include "metadata.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

using executorch_backend_tensorrt::parse_blob;

// Thousands of refused documents say nothing of use.
const int g_quiet = LLVMFuzzerInitialize(nullptr, nullptr);

constexpr char kMetadata[] =
    R"({"io_bindings":[{"name":"x","dtype":"float32","shape":[-1,4],"is_input":true},)"
    R"({"name":"y","shape":[4],"is_input":false}],"aliased_io":[{"output":"y","input":"x","kind":"user"}],)"
    R"("hardware_compatible":true,"device_id":1,"target_platform":"a\"b"})";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

uint8_t* bytes_of(std::string& text) { return reinterpret_cast<uint8_t*>(&text[0]); }

TEST(Structured, EveryBlobAroundMutatedMetadataHasASoundHeader) {
  std::vector<uint8_t> room(1 << 16);
  std::string json = kMetadata;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    fuzz::mutate_json(json, seed);
    if (seed % 10 == 0) json = kMetadata;
    const size_t size = fuzz::write_blob_around(json, seed, room.data(), room.size());
    const auto blob = parse_blob({room.data(), size});
    ASSERT_TRUE(blob.ok()) << "seed " << seed;
    EXPECT_EQ(blob->metadata, json) << "seed " << seed;
    EXPECT_EQ(fuzz::metadata_of(room.data(), size), json) << "seed " << seed;
  }
}

TEST(Structured, BlobsAreCutAtTheLimit) {
  std::vector<uint8_t> room(100, 0xee);
  EXPECT_EQ(fuzz::write_blob_around(kMetadata, 1, room.data(), 99), 99U);
  EXPECT_EQ(room[99], 0xee);
}

TEST(Structured, MetadataOfDamagedHeadersStaysInside) {
  std::vector<uint8_t> room(1 << 12);
  const size_t size = fuzz::write_blob_around(kMetadata, 0, room.data(), room.size());
  for (const size_t cut : {size_t{0}, size_t{31}, size_t{32}, size_t{33}, size_t{100}}) {
    const std::vector<uint8_t> exact(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(std::min(cut, size)));
    EXPECT_LE(fuzz::metadata_of(exact.data(), exact.size()).size(), size);
  }
}

TEST(Structured, MutationsOfTokensOftenRemainJsonAndNewToTheReader) {
  unsigned valid = 0, accepted = 0, changed = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::string json = kMetadata;
    fuzz::mutate_json(json, seed);
    std::string again = kMetadata;
    fuzz::mutate_json(again, seed);
    ASSERT_EQ(json, again) << "seed " << seed;
    changed += json != kMetadata;
    valid += nlohmann::json::accept(json);
    accepted += executorch_backend_tensorrt::parse_metadata(json).ok();
  }
  RecordProperty("valid_json", static_cast<int>(valid));
  RecordProperty("accepted", static_cast<int>(accepted));
  EXPECT_GT(changed, 2700U);
  EXPECT_GT(valid, 1200U);
  EXPECT_GT(accepted, 450U);
  EXPECT_LT(accepted, valid);
}

TEST(Structured, MutatingABlobInsideAProgramLeavesTheProgramSound) {
  const std::filesystem::path corpus = FUZZ_CORPUS "/inspect";
  for (const char* name : {"add", "add_inline", "two_methods"}) {
    const std::string whole = read_file(corpus / name);
    ASSERT_FALSE(whole.empty()) << name;
    unsigned changed = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
      std::string mutant = whole;
      ASSERT_TRUE(fuzz::mutate_embedded_blob(bytes_of(mutant), mutant.size(), seed)) << name;
      changed += mutant != whole;
      std::vector<uint64_t> aligned(mutant.size() / 8 + 2);
      std::memcpy(aligned.data(), mutant.data(), mutant.size());
      const auto report = trtet::inspect_bytes({reinterpret_cast<const char*>(aligned.data()), mutant.size()}, name);
      EXPECT_EQ(report["kind"], "program") << name << " seed " << seed;
      for (const auto& problem : report["problems"])
        EXPECT_NE(problem["where"], "program") << name << " seed " << seed << ": " << problem.dump();
    }
    EXPECT_GT(changed, 150U) << name;
  }
}

TEST(Structured, WithoutABlobNothingChanges) {
  for (std::string bytes : {std::string(), std::string("TR01"), std::string(64, 'x'), "TR01" + std::string(60, '\0')}) {
    const std::string before = bytes;
    EXPECT_FALSE(fuzz::mutate_embedded_blob(bytes_of(bytes), bytes.size(), 1));
    EXPECT_EQ(bytes, before);
  }
}

}  // namespace
