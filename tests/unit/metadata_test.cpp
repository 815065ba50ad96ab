#include "metadata.h"

#include <algorithm>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "blob_writer.h"
#include "support/log.h"
#include "support/metadata_text.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using testing::ElementsAre;
using testing::HasSubstr;
using unit::nested;
using unit::parse;
using unit::with_aliases;
using unit::with_bindings;

trtet::BlobDescription full_description() {
  trtet::BlobDescription description;
  description.bindings = {{"x", "float32", {-1, 3}, true},
                          {"cache", "float16", {4}, true},
                          {"y", "float32", {-1, 3}, false},
                          {"cache_out", "float16", {4}, false}};
  description.aliases = {{"cache_out", "cache", "user"}};
  description.hardware_compatible = true;
  description.device_id = 3;
  description.serialized_metadata = R"({"device_id":7,"io_bindings":[]})";
  description.target_platform = "linux_x86_64";
  return description;
}

void expect_full(const Metadata& metadata) {
  ASSERT_EQ(metadata.bindings.size(), 4U);
  EXPECT_EQ(metadata.bindings[0].name, "x");
  EXPECT_EQ(metadata.bindings[0].dtype, "float32");
  EXPECT_TRUE(metadata.bindings[0].is_input);
  EXPECT_EQ(metadata.bindings[1].name, "cache");
  EXPECT_EQ(metadata.bindings[2].name, "y");
  EXPECT_FALSE(metadata.bindings[2].is_input);
  EXPECT_EQ(metadata.bindings[3].name, "cache_out");
  const MetadataBinding& y = metadata.bindings[2];
  ASSERT_EQ(y.shape_count, 2U);
  EXPECT_EQ(metadata.shape_values[y.shape_begin], -1);
  EXPECT_EQ(metadata.shape_values[y.shape_begin + 1], 3);
  ASSERT_EQ(metadata.aliases.size(), 1U);
  EXPECT_EQ(metadata.aliases[0].output, "cache_out");
  EXPECT_EQ(metadata.aliases[0].input, "cache");
  EXPECT_EQ(metadata.aliases[0].kind, AliasKind::kUser);
  EXPECT_TRUE(metadata.hardware_compatible);
  EXPECT_EQ(metadata.device_id, 3);
  EXPECT_EQ(metadata.target_platform, "linux_x86_64");
}

TEST(Metadata, ReadsWhatTheExporterWrites) {
  const auto metadata = parse(trtet::write_metadata(full_description()));
  ASSERT_TRUE(metadata.ok());
  expect_full(metadata.get());
}

TEST(Metadata, StaysValidWhenMoved) {
  auto metadata = parse(trtet::write_metadata(full_description()));
  ASSERT_TRUE(metadata.ok());
  const Metadata moved = std::move(metadata.get());
  expect_full(moved);
}

TEST(Metadata, HasDefaults) {
  const auto metadata = parse("{}");
  ASSERT_TRUE(metadata.ok());
  EXPECT_TRUE(metadata->bindings.empty());
  EXPECT_TRUE(metadata->aliases.empty());
  EXPECT_FALSE(metadata->hardware_compatible);
  EXPECT_EQ(metadata->device_id, 0);
}

TEST(Metadata, KindOfAnAliasDefaultsToKvCacheUpdate) {
  const auto metadata = parse(R"({"io_bindings":[{"name":"i","is_input":true},{"name":"o","is_input":false}],)"
                              R"("aliased_io":[{"output":"o","input":"i"}]})");
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->aliases[0].kind, AliasKind::kKvCacheUpdate);
}

// One member of each object of the document; joined in any order they are the same document.
std::string shuffled(std::vector<std::string> members, std::mt19937& random) {
  std::shuffle(members.begin(), members.end(), random);
  std::string text = "{";
  for (const std::string& member : members) {
    text += (text.size() > 1 ? " ,\n\t" : "") + member;
  }
  return text + "}";
}

TEST(Metadata, ReadsTheSameInAnyKeyOrder) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const auto binding = [&random](const char* name, const char* dtype, const char* shape, const char* is_input) {
      return shuffled(
          {std::string("\"name\":\"") + name + "\"", std::string("\"dtype\" : \"") + dtype + "\"",
           std::string("\"shape\":") + shape, std::string("\"is_input\":") + is_input, R"("new":[{"name":"no"}])"},
          random);
    };
    const std::string json =
        shuffled({"\"io_bindings\":[" + binding("x", "float32", "[-1,3]", "true") + "," +
                      binding("cache", "float16", "[4]", "true") + "," + binding("y", "float32", "[-1,3]", "false") +
                      "," + binding("cache_out", "float16", "[4]", "false") + "]",
                  "\"aliased_io\":[" +
                      shuffled({R"("output":"cache_out")", R"("input":"cache")", R"("kind":"user")"}, random) + "]",
                  R"("hardware_compatible":true)", R"("device_id":3)", R"("serialized_metadata":"device_id\":4")",
                  R"("target_platform":"linux_x86_64")", R"("nested":{"device_id":5,"io_bindings":{"device_id":6}})",
                  R"("later":null)"},
                 random);
    const auto metadata = parse(json);
    ASSERT_TRUE(metadata.ok()) << "seed " << seed << ": " << json;
    expect_full(metadata.get());
  }
}

TEST(Metadata, RefusesEveryTruncation) {
  const unit::LogCapture log;
  const std::string whole = trtet::write_metadata(full_description());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(parse(whole.substr(0, size)).error(), Error::InvalidProgram) << size << " bytes";
  }
}

TEST(Metadata, OnlyKeysOfTheOutermostObjectCount) {
  const auto metadata = parse(R"({"a":{"device_id":5},"b":[{"device_id":6}],"device_id":7})");
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->device_id, 7);
}

TEST(Metadata, NestedKeyAloneIsNoMatch) {
  const auto metadata = parse(R"({"a":{"device_id":5},"s":"\"device_id\":6"})");
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->device_id, 0);
}

TEST(Metadata, DecodesEscapesInNames) {
  const auto metadata = parse(with_bindings(R"({"name":"a\u00e9\ud83d\ude00\ud66d\ud7ff\"","is_input":true})"));
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->bindings[0].name, "a\xc3\xa9\xf0\x9f\x98\x80\xed\x99\xad\xed\x9f\xbf\"");
}

TEST(Metadata, EveryTextHasAZeroBehindIt) {
  const auto metadata = parse(trtet::write_metadata(full_description()));
  ASSERT_TRUE(metadata.ok());
  const auto is_terminated = [](std::string_view text) { return text.data()[text.size()] == '\0'; };
  for (const MetadataBinding& binding : metadata->bindings) {
    EXPECT_TRUE(is_terminated(binding.name)) << binding.name;
    EXPECT_TRUE(is_terminated(binding.dtype)) << binding.name;
  }
  EXPECT_TRUE(is_terminated(metadata->aliases[0].output));
  EXPECT_TRUE(is_terminated(metadata->aliases[0].input));
  EXPECT_TRUE(is_terminated(metadata->target_platform));
}

// One item says nothing about the next: not its kind, shape, type or direction.
TEST(Metadata, ItemsStartFromTheDefaults) {
  const auto metadata = parse(
      R"({"io_bindings":[{"name":"a","dtype":"int8","shape":[5,6],"is_input":true},{"name":"b","is_input":false},)"
      R"({"name":"c","shape":[7],"is_input":false}],)"
      R"("aliased_io":[{"kind":"user","output":"b","input":"a"},{"output":"c","input":"a"}]})");
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->bindings[1].dtype, "");
  EXPECT_EQ(metadata->bindings[1].shape_count, 0U);
  EXPECT_FALSE(metadata->bindings[1].is_input);
  ASSERT_EQ(metadata->bindings[2].shape_count, 1U);
  EXPECT_EQ(metadata->shape_values[metadata->bindings[2].shape_begin], 7);
  EXPECT_EQ(metadata->aliases[0].kind, AliasKind::kUser);
  EXPECT_EQ(metadata->aliases[1].kind, AliasKind::kKvCacheUpdate);
}

TEST(Metadata, BothKindsOfAliasCanBeNamed) {
  const auto metadata = parse(R"({"aliased_io":[{"output":"o","input":"i","kind":"user"},)"
                              R"({"output":"p","input":"i","kind":"kv_cache_update"}]})");
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->aliases[0].kind, AliasKind::kUser);
  EXPECT_EQ(metadata->aliases[1].kind, AliasKind::kKvCacheUpdate);
}

// Depth is of nesting, not of items: as many as one likes, whatever they hold.
TEST(Metadata, ManyItemsAreNotDeep) {
  std::string items = R"({"name":"0","is_input":true})";
  for (int i = 1; i < 200; ++i) {
    items += R"(,{"is_input":true,"name":")" + std::to_string(i) + "\"" + (i % 3 == 0 ? R"(,"x":{})" : "") + "}";
  }
  EXPECT_TRUE(parse(with_bindings(items)).ok());
}

// A document is left at its first fault: what follows was read on a wrong footing.
TEST(Metadata, OnlyTheFirstFaultIsTold) {
  for (const std::string& json : {
           std::string(R"({"hardware_compatible":1,"target_platform":2})"),
           std::string(R"({"hardware_compatible":null,"target_platform":null})"),
           std::string(R"({"hardware_compatible":"","target_platform":true})"),
           std::string(R"({"hardware_compatible":{},"target_platform":{}})"),
           std::string(R"({"device_id":1,"device_id":true})"),
           std::string(R"({"device_id":-1,"target_platform":2})"),
           with_bindings(R"({"name":"","is_input":3})"),
           with_bindings(R"({"name":"x","is_input":true,"shape":[0.5,0.5]})"),
           with_bindings("{},{}"),
           with_aliases(R"({"kind":"copy","output":1})"),
           with_aliases("{},{}"),
       }) {
    const unit::LogCapture log;
    EXPECT_FALSE(parse(json).ok()) << json;
    EXPECT_EQ(log.lines().size(), 1U) << json << "\n" << log.text();
  }
}

TEST(Metadata, FalseIsAValue) {
  const auto metadata = parse(R"({"hardware_compatible":false,"device_id":2147483647})");
  ASSERT_TRUE(metadata.ok());
  EXPECT_FALSE(metadata->hardware_compatible);
  EXPECT_EQ(metadata->device_id, 2147483647);
}

TEST(Metadata, RefusedMemoryIsBadAlloc) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers end the process over a refused allocation";
#endif
  const std::size_t too_much = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW((void)parse_metadata({"{}", too_much}), std::bad_alloc);
}

TEST(Metadata, ReadsManyBindings) {
  trtet::BlobDescription description;
  for (int i = 0; i < 10000; ++i) {
    description.bindings.push_back({"tensor_" + std::to_string(i), "", {}, i % 2 == 0});
  }
  const auto metadata = parse(trtet::write_metadata(description));
  ASSERT_TRUE(metadata.ok());
  ASSERT_EQ(metadata->bindings.size(), 10000U);
  EXPECT_EQ(metadata->bindings[9999].name, "tensor_9999");
}

}  // namespace
}  // namespace executorch_backend_tensorrt
