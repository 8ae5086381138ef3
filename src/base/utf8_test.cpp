#include "base/utf8.h"

#include <gtest/gtest.h>

namespace tanggul {
namespace {

TEST(Utf8, TakesTheFirstAndTheLastOfEachLength) {
  for (const char* good :
       {"", "a~", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "gr\xc3\xbc\xc3\x9f"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
    EXPECT_EQ(to_utf8(good), good);
  }
}

TEST(Utf8, RefusesWhatIsNone) {
  for (const char* bad :
       {"\xff", "\xfe", "\x80", "\xbf", "a\xc3", "\xc3(", "\xe2\x82", "\xe2(\x82", "\xe2\x82(",
        "\xf0\x9f\x98", "\xf0\x9f\x98(", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
    EXPECT_TRUE(is_utf8(to_utf8(bad))) << bad;
  }
}

TEST(Utf8, OfWhatIsNoneTheRestStays) {
  EXPECT_EQ(to_utf8("a\xff\xfe\xc3\xbc\xe2\x82z"), "a??\xc3\xbc??z");
}

TEST(Utf8, APrefixCutsNoCharacter) {
  EXPECT_EQ(utf8_prefix("abc", 3), "abc");
  EXPECT_EQ(utf8_prefix("abc", 2), "ab");
  EXPECT_EQ(utf8_prefix("abc", 0), "");
  EXPECT_EQ(utf8_prefix("aé", 2), "a");
  EXPECT_EQ(utf8_prefix("aéb", 3), "aé");
  for (const std::size_t most : {1, 2, 3}) EXPECT_EQ(utf8_prefix("😀x", most), "") << most;
  EXPECT_EQ(utf8_prefix("😀x", 4), "😀");
  EXPECT_EQ(utf8_prefix(std::string(10, '\x80'), 8).size(), 5U);  // no character: no more is lost
}

}  // namespace
}  // namespace tanggul
