#include "common/terminal.h"

#include <gtest/gtest.h>

namespace trtet {
namespace {

TEST(Printable, KeepsTextAndEscapesControl) {
  EXPECT_EQ(printable("plain text"), "plain text");
  EXPECT_EQ(printable("größe 中 😀"), "größe 中 😀");
  EXPECT_EQ(printable(std::string_view("a\0b\x1b[2J\x7f", 8)), "a\\x00b\\x1b[2J\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");  // U+009B is an escape sequence by itself
}

TEST(Printable, EscapesInvalidUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xe4"), "\\xe4");                    // cut short
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(Printable, CutsLongText) {
  const std::string cut = printable(std::string(1000, 'n'), 10);
  EXPECT_EQ(cut, "nnnnnnnnnn...");
}

TEST(Aligned, ColumnsByCharactersNotBytes) { EXPECT_EQ(aligned({{"é", "x"}, {"abc", "y"}}), "  é    x\n  abc  y\n"); }

TEST(ReadableBytes, Units) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(~0ULL), "16.0 EiB");
}

}  // namespace
}  // namespace trtet
