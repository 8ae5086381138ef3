#include "registry/sql/parameter.h"

#include <gtest/gtest.h>

namespace tanggul::registry::sql {
namespace {

std::string canonical(Type type, std::string value) {
  return make_canonical(type, value) ? value : "refused";
}

TEST(SqlParameterTest, TakesOnlyWhatIsOfItsType) {
  const struct {
    Type type;
    std::string_view good, bad;
  } cases[] = {
      {Type::integer, "0 42 -7 9223372036854775807 -9223372036854775808",
       "+1 1.0 1e3 0x10 9223372036854775808 4two -"},
      {Type::number, "0 -1.50 1e9 12345678901234567890.123456789012345678901 1.5E-7 007",
       ". 1. .5 +1 1e 1e99999 NaN Infinity 1,5 --1"},
      {Type::boolean, "true false t F 1 0 TRUE", "yes 2 on tru"},
      {Type::uuid, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
       "a0eebc999c0b4ef8bb6d6bb9bd380a11 g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
      {Type::date, "2024-02-29 0001-01-01", "2023-02-29 2024-13-01 2024-1-01 24-01-01 0000-01-01"},
      {Type::timestamp,
       "2024-02-29T12:30:00Z 2024-02-29T12:30:00.123456+05:30 2024-02-29T23:59:60 2024-02-29",
       "2024-02-30 2024-02-29T12:30:00+20:00 2024-02-29T24:00:00Z 2024-02-29T12:30:00. "
       "2024-02-29T12:30:00+5 "
       "2024-02-29T12:30:00Zx"},
  };
  const auto each = [](std::string_view words, const auto& check) {
    while (!words.empty()) {
      const auto word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(word.size() + 1, words.size()));
      check(std::string(word));
    }
  };
  for (const auto& c : cases) {
    each(c.good,
         [&](std::string v) { EXPECT_TRUE(make_canonical(c.type, v)) << name(c.type) << v; });
    each(c.bad,
         [&](std::string v) { EXPECT_FALSE(make_canonical(c.type, v)) << name(c.type) << v; });
    std::string empty;
    EXPECT_FALSE(make_canonical(c.type, empty)) << name(c.type);
  }
}

TEST(SqlParameterTest, WhatMeansTheSameIsWrittenTheSame) {
  EXPECT_EQ(canonical(Type::integer, "007"), "7");
  EXPECT_EQ(canonical(Type::integer, "-0"), "0");
  EXPECT_EQ(canonical(Type::boolean, "T"), "true");
  EXPECT_EQ(canonical(Type::boolean, "0"), "false");
  EXPECT_EQ(canonical(Type::uuid, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
  EXPECT_EQ(canonical(Type::text, "' OR 1=1 --"), "' OR 1=1 --");
}

TEST(SqlParameterTest, TextIsUtf8WithoutNulOfOneKibibyte) {
  EXPECT_EQ(canonical(Type::text, std::string("a\0b", 3)), "refused");
  EXPECT_EQ(canonical(Type::any, "\xff"), "refused");
  EXPECT_NE(canonical(Type::text, std::string(1024, 'x')), "refused");
  EXPECT_EQ(canonical(Type::text, std::string(1025, 'x')), "refused");
}

TEST(SqlParameterTest, EveryTypeHasItsWord) {
  for (const auto type : {Type::any, Type::text, Type::integer, Type::number, Type::boolean,
                          Type::uuid, Type::date, Type::timestamp})
    EXPECT_EQ(type_of(name(type)), type);
  EXPECT_EQ(type_of("bigint"), Type::integer);
  EXPECT_FALSE(type_of("blob"));
}

}  // namespace
}  // namespace tanggul::registry::sql
