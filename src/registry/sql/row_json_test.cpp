#include "registry/sql/row_json.h"

#include <gtest/gtest.h>

namespace tanggul::registry::sql {
namespace {

template <class Append>
std::string written(Append append, std::string_view text) {
  std::string out;
  append(text, out);
  return out;
}

TEST(SqlRowJsonTest, NumbersKeepTheirDigits) {
  for (const auto* text : {"0", "-1", "19.99", "12345678901234567890.123456789012345678901",
                           "1e+20", "-0.5E-7", "9223372036854775807", "0.10"})
    EXPECT_EQ(written(append_number, text), text);
  for (const auto* text :
       {"NaN", "Infinity", "-Infinity", "", "1.", ".5", "+1", "01", "1e", "-", "1e9999"})
    EXPECT_EQ(written(append_number, text), "\"" + std::string(text) + "\"");
}

TEST(SqlRowJsonTest, TimestampsAreRfc3339WithTheZoneThatTheyHave) {
  EXPECT_EQ(written(append_timestamp, "2024-02-29 12:30:00+00"), "\"2024-02-29T12:30:00Z\"");
  EXPECT_EQ(written(append_timestamp, "2024-02-29 12:30:00.123456+00"),
            "\"2024-02-29T12:30:00.123456Z\"");
  EXPECT_EQ(written(append_timestamp, "2024-02-29 12:30:00.5+05:30"),
            "\"2024-02-29T12:30:00.5+05:30\"");
  EXPECT_EQ(written(append_timestamp, "2024-02-29 12:30:00-03"), "\"2024-02-29T12:30:00-03:00\"");
  EXPECT_EQ(written(append_timestamp, "2024-02-29 12:30:00"), "\"2024-02-29T12:30:00\"");
  for (const auto* odd :
       {"infinity", "-infinity", "0044-03-15 12:00:00 BC", "12024-02-29 12:30:00+00"})
    EXPECT_EQ(written(append_timestamp, odd), "\"" + std::string(odd) + "\"");
}

TEST(SqlRowJsonTest, StringsAreEscapedAndAlwaysUtf8) {
  EXPECT_EQ(written(append_string, "a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
  EXPECT_EQ(written(append_string, "Produk \xc3\xa9"), "\"Produk \xc3\xa9\"");
  EXPECT_EQ(written(append_string, "a\xff"), "\"a?\"");
  EXPECT_EQ(written(append_string, std::string(5000, 'x')).size(), 5002U);
  EXPECT_EQ(written(append_base64, std::string("\0\xff", 2)), "\"AP8=\"");
}

TEST(SqlRowJsonTest, DocumentsAreInlinedIfTheyAreSuch) {
  for (const auto* text : {"{\"a\": [1, 2.50]}", "[]", "null", "\"x\"", " 1 "})
    EXPECT_EQ(written(append_json, text), text);
  EXPECT_EQ(written(append_json, "{a: 1}"), "\"{a: 1}\"");
  EXPECT_EQ(written(append_json, "1 2"), "\"1 2\"");
  EXPECT_EQ(written(append_json, ""), "\"\"");
  const std::string deep(100'000, '[');
  EXPECT_EQ(written(append_json, deep), "\"" + deep + "\"");
}

TEST(SqlRowJsonTest, RowsAreAnObjectOrAnArray) {
  RowsJson one({"id", "na\"me"}, false);
  for (int i = 0; i < 2; ++i) {
    if (!one.begin_row()) continue;
    one.value() += "1";
    append_string("x", one.value());
    one.end_row();
  }
  EXPECT_EQ(one.rows(), 2U);
  EXPECT_EQ(one.finish(), "{\"id\":1,\"na\\\"me\":\"x\"}\n");

  RowsJson many({"id"}, true);
  for (const auto* id : {"1", "2"}) {
    ASSERT_TRUE(many.begin_row());
    many.value() += id;
    many.end_row();
  }
  EXPECT_EQ(many.finish(), "[{\"id\":1},\n{\"id\":2}]\n");
  EXPECT_EQ(RowsJson({"id"}, true).finish(), "[]\n");
}

TEST(SqlRowJsonTest, AnObjectNeedsANameForEachColumn) {
  EXPECT_EQ(twice({"a", "b"}), "");
  EXPECT_EQ(twice({"a", "b", "a"}), "a");
}

}  // namespace
}  // namespace tanggul::registry::sql
