#include "blob.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>

#include "blob_writer.h"
#include "support/exact_block.h"
#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using testing::HasSubstr;
using unit::ExactBlock;

const std::string kMetadata = R"({"device_id":0})";  // 15 bytes: the engine begins at 48
const std::string kEngine = "engine bytes";

std::string sound_blob() { return trtet::write_blob(kMetadata, false, kEngine); }

// Overwrites `bytes` little-endian bytes at `offset`.
std::string with_field(std::string blob, std::size_t offset, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    blob[offset + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
  }
  return blob;
}

TEST(Blob, SplitsIntoMetadataAndEngine) {
  for (const bool has_aliases : {false, true}) {
    const ExactBlock block(trtet::write_blob(kMetadata, has_aliases, kEngine));
    const auto blob = parse_blob(block.bytes());
    ASSERT_TRUE(blob.ok());
    EXPECT_EQ(blob->metadata, kMetadata);
    EXPECT_EQ(blob->engine.data(), block.bytes().data() + 48);
    EXPECT_EQ(blob->engine.size(), kEngine.size());
  }
}

TEST(Blob, ReadsGoldenBytes) {
  const std::string golden(
      "TR01\x20\0\0\0\x02\0\0\0\x30\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0{}"
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0P",
      49);
  const ExactBlock block(golden);
  const auto blob = parse_blob(block.bytes());
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(blob->metadata, "{}");
  ASSERT_EQ(blob->engine.size(), 1U);
  EXPECT_EQ(blob->engine[0], 'P');
}

TEST(Blob, TakesAnyReservedBytes) {
  const ExactBlock block(with_field(sound_blob(), 24, ~std::uint64_t{0}, 8));
  EXPECT_TRUE(parse_blob(block.bytes()).ok());
}

TEST(Blob, TakesTrailingBytesAndGapsBetweenTheParts) {
  const ExactBlock block(with_field(sound_blob() + "tail", 8, 2, 4));
  EXPECT_TRUE(parse_blob(block.bytes()).ok());
}

TEST(Blob, RefusesEveryTruncation) {
  const unit::LogCapture log;
  const std::string whole = sound_blob();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ExactBlock block(whole.substr(0, size));
    EXPECT_EQ(parse_blob(block.bytes()).error(), Error::InvalidProgram) << size << " bytes";
  }
}

TEST(Blob, NamesAHeaderThatIsCut) {
  const unit::LogCapture log;
  const ExactBlock block(sound_blob().substr(0, kBlobHeaderBytes - 1));
  EXPECT_FALSE(parse_blob(block.bytes()).ok());
  EXPECT_THAT(log.text(), HasSubstr("31 bytes is shorter than its 32-byte header"));
}

struct DamageCase {
  const char* name;
  std::size_t offset;
  std::uint64_t value;
  int bytes;
  const char* message;
};

class DamagedBlob : public testing::TestWithParam<DamageCase> {};

TEST_P(DamagedBlob, IsRefusedByName) {
  unit::LogCapture log;
  const DamageCase& damage = GetParam();
  const ExactBlock block(with_field(sound_blob(), damage.offset, damage.value, damage.bytes));
  EXPECT_EQ(parse_blob(block.bytes()).error(), Error::InvalidProgram);
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(log.lines()[0], HasSubstr(damage.message));
}

// Where two rules are broken, the first in the order of the header is named.
TEST(Blob, NamesTheRuleThatIsBrokenFirst) {
  unit::LogCapture log;
  const std::string past_both_ends = with_field(with_field(sound_blob(), 8, 1000, 4), 12, 2000, 4);
  EXPECT_FALSE(parse_blob(ExactBlock(past_both_ends).bytes()).ok());
  EXPECT_THAT(log.text(), HasSubstr("metadata at 32 + 1000 bytes must end before the engine at 2000"));
  log.clear();
  const std::string metadata_to_the_end = with_field(with_field(sound_blob(), 8, 28, 4), 12, 64, 4);
  EXPECT_FALSE(parse_blob(ExactBlock(metadata_to_the_end).bytes()).ok());
  EXPECT_THAT(log.text(), HasSubstr("engine at 64 + 12 bytes must end inside the blob of 60 bytes"));
  log.clear();
  const std::string header_alone = with_field(with_field(sound_blob().substr(0, 32), 8, 0, 4), 12, 32, 4);
  EXPECT_FALSE(parse_blob(ExactBlock(header_alone).bytes()).ok());
  EXPECT_THAT(log.text(), HasSubstr("engine at 32 + 12 bytes must end inside the blob of 32 bytes"));
}

TEST(Blob, TakesAnEngineRightBehindTheMetadata) {
  const std::string metadata(16, ' ');
  const ExactBlock block(trtet::write_blob(metadata, false, kEngine));
  const auto blob = parse_blob(block.bytes());
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(blob->metadata, metadata);
  EXPECT_EQ(blob->engine.data(), block.bytes().data() + 48);
}

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

INSTANTIATE_TEST_SUITE_P(
    Fields, DamagedBlob,
    testing::Values(DamageCase{"MagicOfAnotherVersion", 3, '3', 1, "bytes 54 52 30 33, not with TR01 or TR02"},
                    DamageCase{"MagicInLowerCase", 0, 't', 1, "bytes 74 52 30 31, not"},
                    DamageCase{"MetadataInsideHeader", 4, 31, 4, "metadata offset 31"},
                    DamageCase{"MetadataOffsetZero", 4, 0, 4, "metadata offset 0"},
                    DamageCase{"MetadataOffsetNear32Bits", 4, kMax32, 4, "metadata at 4294967295"},
                    DamageCase{"MetadataSizeNear32Bits", 8, kMax32, 4, "4294967295 bytes"},
                    DamageCase{"MetadataSizeWraps32Bits", 8, kMax32 - 31, 4, "4294967264 bytes"},
                    DamageCase{"MetadataReachesIntoEngine", 8, 17, 4, "before the engine at 48"},
                    DamageCase{"EngineUnaligned", 12, 56, 4, "not a multiple of 16"},
                    DamageCase{"EngineBehindTheEnd", 12, 64, 4, "engine at 64"},
                    DamageCase{"EngineOffsetNear32Bits", 12, kMax32 - 15, 4, "engine at 4294967280"},
                    DamageCase{"EngineEmpty", 16, 0, 8, "engine size is 0"},
                    DamageCase{"EngineOneByteTooLong", 16, 13, 8, "+ 13 bytes"},
                    DamageCase{"EngineSizeAt32Bits", 16, kMax32 + 1, 8, "4294967296 bytes"},
                    DamageCase{"EngineSizeNear64Bits", 16, kMax64, 8, "18446744073709551615 bytes"},
                    DamageCase{"EngineSizeWraps64Bits", 16, kMax64 - 47, 8, "18446744073709551568 bytes"},
                    DamageCase{"EngineSizeWrapsIntoTheBlob", 16, kMax64 - 35, 8, "bytes must end inside"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace executorch_backend_tensorrt
