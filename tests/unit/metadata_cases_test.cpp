// Documents that are refused, each with its message, and ones beside them that are taken.
#include "metadata.h"

#include <string>

#include <gmock/gmock.h>

#include "support/log.h"
#include "support/metadata_text.h"

namespace executorch_backend_tensorrt {
namespace {

using executorch::runtime::Error;
using testing::HasSubstr;
using unit::kPair;
using unit::nested;
using unit::parse;
using unit::with_aliases;
using unit::with_bindings;
using unit::with_device;
using unit::with_flag;

struct Case {
  const char* name;
  std::string json;
  const char* message = "";  // refused: what the message holds
};

std::string case_name(const testing::TestParamInfo<Case>& test) { return test.param.name; }

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
        Case{"ZeroByteBehind", std::string("{}\0", 3), "JSON at byte 2: text after the end"},
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

}  // namespace
}  // namespace executorch_backend_tensorrt
