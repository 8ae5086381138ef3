#include "adapters/postgres/types.h"

#include <gtest/gtest.h>

namespace tanggul::postgres {
namespace {

std::string json(TypeId type, std::string_view text) {
  std::string out;
  append_value(type, text, out);
  return out;
}

TEST(PostgresTypesTest, ArraysBecomeArrays) {
  EXPECT_EQ(json(1007, "{1,NULL,-3}"), "[1,null,-3]");
  EXPECT_EQ(json(1009, "{}"), "[]");
  EXPECT_EQ(json(1009, R"({a,"b,c","d\"e\\f",NULL,"NULL",""})"),
            R"(["a","b,c","d\"e\\f",null,"NULL",""])");
  EXPECT_EQ(json(1007, "{{1,2},{3,4}}"), "[[1,2],[3,4]]");
  EXPECT_EQ(json(1007, "[0:1]={1,2}"), "[1,2]");
  EXPECT_EQ(json(1000, "{t,f}"), "[true,false]");
  EXPECT_EQ(json(3807, R"({"{\"a\": 1}"})"), "[{\"a\": 1}]");
  EXPECT_EQ(json(1185, R"({"2024-02-29 12:30:00+00"})"), "[\"2024-02-29T12:30:00Z\"]");
}

TEST(PostgresTypesTest, WhatDoesNotReadAsAnArrayIsAString) {
  for (const auto* text :
       {"", "{", "{1", "{1,", "}", "{1}}", "{\"a", "{\"a\\", "[0:1]", "[", "{{{{{{{1}}}}}}}"})
    EXPECT_TRUE(json(1007, text).starts_with('"')) << text << " " << json(1007, text);
}

TEST(PostgresTypesTest, ScalarsAreFaithful) {
  EXPECT_EQ(json(1700, "12345678901234567890.1234567890"), "12345678901234567890.1234567890");
  EXPECT_EQ(json(1700, "NaN"), "\"NaN\"");
  EXPECT_EQ(json(701, "1e-300"), "1e-300");
  EXPECT_EQ(json(16, "t"), "true");
  EXPECT_EQ(json(17, "\\x00ff"), "\"AP8=\"");
  EXPECT_EQ(json(114, "{\"a\": [1, 2.50]}"), "{\"a\": [1, 2.50]}");
  EXPECT_EQ(json(25, "a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(json(1186, "P1DT2H"), "\"P1DT2H\"");
}

TEST(PostgresTypesTest, IntegersHaveTheirRanges) {
  EXPECT_TRUE(in_range(21, "32767"));
  EXPECT_FALSE(in_range(21, "32768"));
  EXPECT_TRUE(in_range(23, "-2147483648"));
  EXPECT_FALSE(in_range(23, "2147483648"));
  EXPECT_FALSE(in_range(26, "-1"));
  EXPECT_FALSE(in_range(701, "1e400"));
  EXPECT_FALSE(in_range(700, "1e39"));
  EXPECT_TRUE(in_range(701, "1e39"));
  EXPECT_TRUE(in_range(20, "9223372036854775807"));
}

}  // namespace
}  // namespace tanggul::postgres
