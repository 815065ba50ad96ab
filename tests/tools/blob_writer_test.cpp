#include "blob_writer.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace trtet {
namespace {

using namespace std::string_literals;

// Bytes as the format's description gives them, not as this writer would.
TEST(WriteBlob, GoldenBytes) {
  BlobDescription description;
  description.bindings = {{"x", "float32", {2, -1}, true}, {"y", "", {}, false}};
  const std::string metadata =
      R"({"io_bindings":[{"name":"x","dtype":"float32","shape":[2,-1],"is_input":true},)"
      R"({"name":"y","dtype":"","shape":[],"is_input":false}],"aliased_io":[],"hardware_compatible":false,)"
      R"("device_id":0,"serialized_metadata":"","target_platform":""})";
  ASSERT_EQ(metadata.size(), 235U);
  const std::string header = "TR01\x20\0\0\0\xeb\0\0\0\x10\x01\0\0\x03\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0"s;
  EXPECT_EQ(write_blob(description, "abc"), header + metadata + std::string(5, '\0') + "abc");
}

TEST(WriteBlob, PadsToSixteenAndMarksAliases) {
  const std::string blob = write_blob("{}", true, "engine");
  EXPECT_EQ(blob.substr(0, 4), "TR02");
  EXPECT_EQ(blob.size(), 48U + 6U);
  EXPECT_EQ(blob.substr(32), "{}"s + std::string(14, '\0') + "engine");
}

TEST(WriteMetadata, RefusesWhatIsNotUtf8) {
  BlobDescription description;
  description.target_platform = "\xff";
  EXPECT_THROW(write_metadata(description), std::invalid_argument);
}

}  // namespace
}  // namespace trtet
