// The inspector on every truncation and every damaged byte of a blob, each in an exactly sized heap block: a read
// past the end is the address sanitizer's.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "blob_writer.h"
#include "common/log.h"
#include "inspect_report.h"

namespace trtet {
namespace {

std::string sample_blob() {
  BlobDescription description;
  description.bindings = {{"x", "float32", {2, 3}, true}, {"y", "float32", {2, 3}, false}};
  description.aliases = {{"y", "x", "user"}};
  std::string engine(64, '\0');
  engine.replace(0, 4, "ftrt");
  engine.replace(24, 4, "\x0b\x04\x00\x6a", 4);
  return write_blob(description, engine);
}

Json inspect_exactly(std::string_view bytes) {
  static const bool is_routed = (route_executorch_log(false), true);  // findings are what the delegate logs
  EXPECT_TRUE(is_routed);
  // malloc aligns to 16, as mapped files are.
  const std::unique_ptr<char, void (*)(void*)> block(
      static_cast<char*>(std::malloc(std::max<std::size_t>(bytes.size(), 1))), std::free);
  std::memcpy(block.get(), bytes.data(), bytes.size());
  return inspect_bytes({block.get(), bytes.size()}, "block");
}

TEST(InspectBytes, SoundBlob) {
  const Json report = inspect_exactly(sample_blob());
  EXPECT_TRUE(report["problems"].empty()) << report.dump();
  EXPECT_EQ(report["blob"]["engine"]["tensorrt_version"], "11.4.0.106");
}

TEST(InspectBytes, EveryTruncation) {
  const std::string whole = sample_blob();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Json report = inspect_exactly(std::string_view(whole).substr(0, length));
    EXPECT_FALSE(report["problems"].empty()) << length;
    EXPECT_FALSE(render_report(report).empty());
  }
}

TEST(InspectBytes, EveryByteDamaged) {
  const std::string whole = sample_blob();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff', static_cast<char>(whole[at] ^ 1)}) {
      std::string damaged = whole;
      damaged[at] = value;
      EXPECT_FALSE(render_report(inspect_exactly(damaged)).empty());
    }
  }
}

}  // namespace
}  // namespace trtet
