#include "base/bytes.h"
#include "base/base64.h"

#include <gtest/gtest.h>

namespace tanggul {

TEST(Bytes, HexAndBase64GoThereAndBack) {
  const std::string raw("\x00\xff tanggul", 10);
  EXPECT_EQ(from_hex(to_hex(raw)), raw);
  for (std::size_t n = 0; n <= raw.size(); ++n)
    EXPECT_EQ(from_base64(to_base64(raw.substr(0, n))), raw.substr(0, n));
}

TEST(Bytes, RefusesWhatIsNotHexOrBase64) {
  EXPECT_FALSE(from_hex("abc"));
  EXPECT_FALSE(from_hex("zz"));
  EXPECT_FALSE(from_hex("+1"));
  EXPECT_FALSE(from_base64("abc"));
  EXPECT_FALSE(from_base64("!!!!"));
}

TEST(Bytes, ParsesDecimalsAndNothingElse) {
  EXPECT_EQ(parse_decimal("0"), 0U);
  EXPECT_EQ(parse_decimal("18446744073709551615"), 18446744073709551615U);
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "0x1", "18446744073709551616"})
    EXPECT_FALSE(parse_decimal(bad)) << bad;
}

TEST(Bytes, ComparesNamesWithoutCase) {
  EXPECT_TRUE(iequals("Content-Length", "content-LENGTH"));
  EXPECT_FALSE(iequals("a", "ab"));
  EXPECT_EQ(trim(" \t x y\t"), "x y");
  EXPECT_EQ(trim(" \t"), "");
}

TEST(Bytes, ReadsPercentEncodingOrNothing) {
  EXPECT_EQ(from_percent("a%2Fb%00"), std::string("a/b\0", 4));
  EXPECT_EQ(from_percent("plain"), "plain");
  for (const char* bad : {"%", "%2", "%2g", "a%", "%%41"}) EXPECT_FALSE(from_percent(bad)) << bad;
}

}  // namespace tanggul
