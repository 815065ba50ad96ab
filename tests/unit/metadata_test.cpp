#include "metadata.h"

#include <algorithm>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "blob_writer.h"
#include "support/exact_block.h"
#include "support/log.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using executorch::runtime::Result;
using testing::ElementsAre;
using testing::HasSubstr;
using unit::ExactBlock;

Result<Metadata> parse(const std::string& json) {
  const ExactBlock block(json);
  return parse_metadata(block.text());
}

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

struct Case {
  const char* name;
  std::string json;
  const char* message = "";  // refused: what the message holds
};

std::string case_name(const testing::TestParamInfo<Case>& test) { return test.param.name; }

constexpr char kPair[] = R"({"name":"i","is_input":true},{"name":"o","is_input":false})";

std::string with_device(const std::string& value) { return "{\"device_id\":" + value + "}"; }
std::string with_flag(const std::string& value) { return "{\"hardware_compatible\":" + value + "}"; }
std::string with_bindings(const std::string& bindings) { return "{\"io_bindings\":[" + bindings + "]}"; }
std::string with_aliases(const std::string& aliases) {
  return "{\"aliased_io\":[" + aliases + "],\"io_bindings\":[" + kPair + "]}";
}
std::string nested(int depth) {
  return "{\"x\":" + std::string(static_cast<std::size_t>(depth - 1), '[') +
         std::string(static_cast<std::size_t>(depth - 1), ']') + "}";
}

class Refused : public testing::TestWithParam<Case> {};

TEST_P(Refused, WithAMessageThatNamesIt) {
  const unit::LogCapture log;
  EXPECT_EQ(parse(GetParam().json).error(), Error::InvalidProgram);
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(log.lines()[0], HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    DeviceId, Refused,
    testing::Values(Case{"WrapsToThree", with_device("4294967299"), "not 4294967299"},
                    Case{"AboveInt32", with_device("2147483648"), "not 2147483648"},
                    Case{"AboveInt64", with_device("99999999999999999999"), "not 99999999999999999999"},
                    Case{"Negative", with_device("-1"), "not -1"}, Case{"Fraction", with_device("3.5"), "not 3.5"},
                    Case{"WholeFraction", with_device("3.0"), "not 3.0"},
                    Case{"Exponent", with_device("3e2"), "not 3e2"},
                    Case{"DigitsThenLetters", with_device("12abc"), "JSON"}, Case{"Hex", with_device("0x3"), "JSON"},
                    Case{"LeadingZero", with_device("03"), "JSON"}, Case{"Plus", with_device("+3"), "JSON"},
                    Case{"Empty", with_device(""), "JSON"},
                    Case{"String", with_device("\"3\""), "device_id must be an integer, not a string"},
                    Case{"Null", with_device("null"), "device_id must be an integer, not null"},
                    Case{"Array", with_device("[3]"), "device_id must be an integer, not an array"},
                    Case{"Object", with_device("{}"), "device_id must be an integer, not an object"},
                    Case{"No", with_device("false"), "device_id must be an integer, not false"},
                    Case{"Flag", with_device("true"), "device_id must be an integer, not true"},
                    Case{"Twice", R"({"device_id":1,"device_id":1})", "device_id is given twice"},
                    Case{"TwiceAroundAList",
                         R"({"device_id":1,"io_bindings":[{"name":"x","is_input":true}],"device_id":1})",
                         "device_id is given twice"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Flag, Refused,
    testing::Values(Case{"LettersBehindTrue", with_flag("trueX"), "JSON"},
                    Case{"Falsehood", with_flag("falsehood"), "JSON"}, Case{"Capital", with_flag("True"), "JSON"},
                    Case{"One", with_flag("1"), "hardware_compatible must be true or false, not 1"},
                    Case{"String", with_flag("\"true\""), "must be true or false"},
                    Case{"Null", with_flag("null"), "must be true or false"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Bindings, Refused,
    testing::Values(
        Case{"NoName", with_bindings(std::string(kPair) + R"(,{"is_input":true})"), "io_bindings[2] has no name"},
        Case{"DamagedKeyLetter", with_bindings(R"({"nbme":"x","is_input":true})"), "io_bindings[0] has no name"},
        Case{"NameOnlyNested", with_bindings(R"({"is_input":true,"x":{"name":"n"}})"), "io_bindings[0] has no name"},
        Case{"NameOnlyInAString", with_bindings(R"({"is_input":true,"x":"\"name\":\"n\""})"),
             "io_bindings[0] has no name"},
        Case{"NoDirection", with_bindings(R"({"name":"x"})"), "io_bindings[0] has no is_input"},
        Case{"DamagedDirectionKey", with_bindings(R"({"name":"x","is_inpuu":true})"), "io_bindings[0] has no is_input"},
        Case{"EmptyName", with_bindings(R"({"name":"","is_input":true})"), "io_bindings[0].name"},
        Case{"ZeroInName", with_bindings(R"({"name":"a\u0000b","is_input":true})"), "without a zero byte"},
        Case{"NameOf4096Bytes", with_bindings("{\"is_input\":true,\"name\":\"" + std::string(4096, 'n') + "\"}"),
             "it has 4096"},
        Case{"NameIsNumber", with_bindings(R"({"name":1,"is_input":true})"), "must be a string"},
        Case{"DirectionIsNumber", with_bindings(R"({"name":"x","is_input":1})"),
             "io_bindings[0].is_input must be true or false"},
        Case{"ShapeIsString", with_bindings(R"({"name":"x","is_input":true,"shape":"3"})"),
             "io_bindings[0].shape must be an array"},
        Case{"ShapeHoldsFraction", with_bindings(R"({"name":"x","is_input":true,"shape":[3.5]})"),
             "io_bindings[0].shape must be an integer, not 3.5"},
        Case{"ShapeHoldsString", with_bindings(R"({"name":"x","is_input":true,"shape":["3"]})"),
             "io_bindings[0].shape must be an integer, not a string"},
        Case{"ShapeHoldsMoreThanInt64", with_bindings(R"({"name":"x","is_input":true,"shape":[9223372036854775808]})"),
             "io_bindings[0].shape must be an integer, not 9223372036854775808"},
        Case{"ShapeOfTheSecond", with_bindings(R"({"name":"x","is_input":true},{"name":"y","shape":{}})"),
             "io_bindings[1].shape must be an array, not an object"},
        Case{"DtypeIsNull", with_bindings(R"({"name":"x","is_input":true,"dtype":null})"),
             "io_bindings[0].dtype must be a string"},
        Case{"KeyTwice", with_bindings(R"({"name":"x","name":"x","is_input":true})"),
             "io_bindings[0].name is given twice"},
        Case{"NotAnObject", with_bindings("3"), "metadata: io_bindings[0] must be an object, not 3"},
        Case{"NotAnArray", R"({"io_bindings":{}})", "metadata: io_bindings must be an array, not an object"},
        Case{"ListTwice", R"({"io_bindings":[],"io_bindings":[]})", "io_bindings is given twice"},
        Case{"SameInputTwice",
             with_bindings(R"({"name":"x","is_input":true},{"name":"y","is_input":false},)"
                           R"({"name":"x","is_input":true})"),
             "two inputs have one name, it is listed twice; export the program again: x"},
        Case{"SameOutputTwice", with_bindings(R"({"name":"y","is_input":false},{"name":"y","is_input":false})"),
             "two outputs have one name, it is listed twice; export the program again: y"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Aliases, Refused,
    testing::Values(Case{"OtherKind", with_aliases(R"({"output":"o","input":"i","kind":"copy"})"),
                         "kind of aliased_io[0] must be kv_cache_update or user; this delegate may be too old for the "
                         "program: copy"},
                    Case{"KindOfTheSecond",
                         R"({"aliased_io":[{"output":"o","input":"i"},{"output":"p","input":"i","kind":""}]})",
                         "kind of aliased_io[1]"},
                    Case{"NotAnObject", with_aliases("7"), "metadata: aliased_io[0] must be an object, not 7"},
                    Case{"NotAnArray", R"({"aliased_io":"x"})", "metadata: aliased_io must be an array, not a string"},
                    Case{"KindIsNumber", with_aliases(R"({"output":"o","input":"i","kind":1})"),
                         "aliased_io[0].kind must be a string, not 1"},
                    Case{"EmptyOutput", with_aliases(R"({"output":"","input":"i"})"),
                         "aliased_io[0].output must be 1 to 4095 bytes without a zero byte, it has 0"},
                    Case{"ZeroInInput", with_aliases(R"({"output":"o","input":"\u0000i"})"),
                         "aliased_io[0].input must be 1 to 4095 bytes without a zero byte, it has 2"},
                    Case{"UnknownOutput", with_aliases(R"({"output":"z","input":"i"})"),
                         "aliased_io[0] names no known output; export the program again: z"},
                    Case{"InputAsOutput", with_aliases(R"({"output":"i","input":"i"})"), "names no known output"},
                    Case{"UnknownInput", with_aliases(R"({"output":"o","input":"z"})"),
                         "aliased_io[0] names no known input; export the program again: z"},
                    Case{"OutputAsInput", with_aliases(R"({"output":"o","input":"o"})"), "names no known input"},
                    Case{"NoOutput", with_aliases(R"({"input":"i"})"), "aliased_io[0] has no output"},
                    Case{"NoInput", with_aliases(R"({"output":"o"})"), "aliased_io[0] has no input"},
                    Case{"NoInputInTheSecond", R"({"aliased_io":[{"output":"o","input":"i"},{"output":"p"}]})",
                         "aliased_io[1] has no input"},
                    Case{"OutputTwice", with_aliases(R"({"output":"o","input":"i"},{"output":"o","input":"i"})"),
                         "in aliased_io twice"},
                    Case{"OutputTwiceNotInARow",
                         R"({"aliased_io":[{"output":"o","input":"i"},{"output":"p","input":"i"},)"
                         R"({"output":"o","input":"j"}]})",
                         "in aliased_io twice; export the program again: o"},
                    Case{"OutputTwiceWithoutBindings",
                         R"({"aliased_io":[{"output":"o","input":"i"},{"output":"o","input":"j"}]})",
                         "in aliased_io twice"},
                    Case{"KeyTwice", with_aliases(R"({"output":"o","output":"o","input":"i"})"),
                         "aliased_io[0].output is given twice"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Document, Refused,
    testing::Values(
        Case{"Empty", "", "JSON"}, Case{"Space", "  ", "JSON"},
        Case{"Array", "[]", "metadata: the document must be an object, not an array"},
        Case{"String", "\"{}\"", "the document must be an object, not a string"},
        Case{"Number", "17", "the document must be an object, not 17"},
        Case{"Flag", "true", "the document must be an object, not true"},
        Case{"Null", "null", "the document must be an object, not null"}, Case{"TextBehind", "{} x", "JSON at byte 3"},
        Case{"ObjectBehind", "{}{}", "JSON at byte 2"},
        Case{"ZeroByteBehind", std::string("{}\0", 3), "JSON at byte 2"},
        Case{"TextBehindAZeroByte", std::string("{}\0{}", 5), "JSON at byte 2"},
        Case{"CommaBehindTheLast", R"({"device_id":1,})", "JSON"}, Case{"SingleQuotes", "{'device_id':1}", "JSON"},
        Case{"Comment", "{/*x*/}", "JSON"}, Case{"RawControlCharacter", "{\"target_platform\":\"a\nb\"}", "JSON"},
        Case{"InvalidUtf8", "{\"target_platform\":\"\xff\"}", "JSON"},
        Case{"CutUtf8", "{\"target_platform\":\"\xe2\x82\"}", "JSON"},
        Case{"OverlongUtf8", "{\"target_platform\":\"\xc0\xaf\"}", "JSON"},
        Case{"InvalidUtf8InAKey", "{\"\xff\":1}", "JSON"},
        Case{"InvalidUtf8InASkippedString", "{\"x\":[\"\xff\"]}", "JSON"},
        Case{"LoneSurrogate", R"({"target_platform":"\ud800"})", "JSON"},
        Case{"LoneSecondSurrogate", R"({"target_platform":"\ud66d\ude00"})", "surrogate pair"},
        Case{"LoneSecondSurrogateInAKey", R"({"\udc00":1})", "surrogate pair"},
        Case{"LoneSecondSurrogateInASkippedString", R"({"x":["\udfff"]})", "surrogate pair"},
        Case{"ByteOrderMark", "\xef\xbb\xbf{}", "JSON"}, Case{"NestedTooDeep", nested(65), "deeper than 64"},
        Case{"NestedFarTooDeep", nested(1000000), "deeper than 64"},
        Case{"NumberBeyondDouble", R"({"x":1e400})", "Number too big"},
        Case{"PlaceOfTheFault", R"({"a":1,,})", "not valid JSON at byte 7: Missing a name for object member"},
        Case{"PlatformIsNumber", R"({"target_platform":1})", "must be a string"},
        Case{"OpaqueIsObject", R"({"serialized_metadata":{}})", "must be a string"}),
    case_name);

class Taken : public testing::TestWithParam<Case> {};

TEST_P(Taken, AsItIs) { EXPECT_TRUE(parse(GetParam().json).ok()); }

INSTANTIATE_TEST_SUITE_P(
    Documents, Taken,
    testing::Values(
        Case{"DeepestNesting", nested(64)}, Case{"WhiteSpaceAround", " \t\r\n{ }\n "},
        Case{"UnknownKeys", R"({"a":1,"b":null,"c":[{"device_id":"x"}],"d":{"io_bindings":1}})"},
        Case{"UnknownLargeInteger", "{\"a\":" + std::string(300, '9') + "}"},
        Case{"UnknownKeyTwice", R"({"a":1,"a":2})"},
        Case{"UnknownKeyTwiceInABinding", with_bindings(R"({"a":1,"a":2,"name":"x","is_input":true})")},
        Case{"KeysOfInnerObjectsOutside", R"({"name":1,"is_input":2,"kind":"copy","output":[],"shape":"","dtype":0})"},
        Case{"OutermostKeysInABinding",
             with_bindings(R"({"name":"x","is_input":true,"device_id":"a","io_bindings":1})")},
        Case{"KnownKeyInsideAString", R"({"serialized_metadata":"\"device_id\":-1"})"},
        Case{"EscapedKey", R"({"device\u005fid":3})"}, Case{"LargestDevice", with_device("2147483647")},
        Case{"EmptyLists", R"({"io_bindings":[],"aliased_io":[]})"}, Case{"FirstDevice", with_device("0")},
        Case{"EmptyTexts", R"({"serialized_metadata":"","target_platform":""})"},
        Case{"UnknownValuesInAnAlias", R"({"aliased_io":[{"a":null,"output":"o","b":[{}],"input":"i","c":true}]})"},
        Case{"KeysOfABindingInAnAlias", R"({"aliased_io":[{"name":1,"output":"o","shape":2,"input":"i"}]})"},
        Case{"KeysOfAnAliasInABinding", with_bindings(R"({"output":1,"name":"x","kind":[],"is_input":true})")},
        Case{"ShapesAtTheLimits",
             with_bindings(R"({"name":"x","is_input":true,"shape":[-9223372036854775808,9223372036854775807,0]})")},
        Case{"NameOf4095Bytes", with_bindings("{\"is_input\":true,\"name\":\"" + std::string(4095, 'n') + "\"}")},
        Case{"InputAndOutputOfOneName", with_bindings(R"({"name":"x","is_input":true},{"name":"x","is_input":false})")},
        Case{"AliasesWithoutBindings", R"({"aliased_io":[{"output":"o","input":"i"}]})"}),
    case_name);

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
