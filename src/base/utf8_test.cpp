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

}  // namespace
}  // namespace tanggul
