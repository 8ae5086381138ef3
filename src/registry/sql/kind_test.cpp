#include "registry/sql/kind.h"

#include <gtest/gtest.h>

#include "registry/sql/values.h"

namespace tanggul::registry::sql {
namespace {

Parameter parameter(std::string name, Type type = Type::any, bool in_path = false) {
  Parameter p;
  p.name = std::move(name);
  p.type = type;
  p.in_path = in_path;
  return p;
}

Mount mount(std::string_view path, std::vector<Parameter> parameters) {
  std::string wrong;
  auto made = http::PathTemplate::parse(path, wrong);
  EXPECT_TRUE(made) << wrong;
  return {*made, std::move(parameters), nullptr, ""};
}

http::RequestHead get(std::string_view method = "GET") {
  http::RequestHead head;
  head.method = method;
  return head;
}

// The key, or what is wrong.
std::string key_of(const Kind& kind, std::string_view rest) {
  std::string key;
  const Classified what = kind.classify(get(), rest, "", key);
  if (what.way == Classified::Way::cached) return key;
  return "wrong: " + kind.refusal(get(), rest).text;
}

Values bound(const Kind& kind, std::string_view rest) {
  std::string key;
  const Classified what = kind.classify(get(), rest, "", key);
  return read_values(kind.plan(get(), rest, what).target).value();
}

TEST(SqlKindTest, OneRowHasOneKeyHoweverItsUrlIsWritten) {
  const auto kind = make_sql(mount("/products/{id}", {parameter("id", Type::text, true)}));
  for (const auto* rest : {"/a%62c", "/abc", "/%61%62%63", "/abc?utm_source=x", "/abc?"})
    EXPECT_EQ(key_of(*kind, rest), "/abc") << rest;
  EXPECT_EQ(key_of(*kind, "/a%2Fb"), "/a%2Fb");
  EXPECT_EQ(key_of(*kind, "/a+b"), "/a%2Bb");
  EXPECT_EQ(key_of(*kind, "/%1f%1d"), "/%1F%1D");
  EXPECT_EQ(bound(*kind, "/'%20OR%20'1'='1"), Values{"' OR '1'='1"});
}

TEST(SqlKindTest, ParametersComeFromThePathAndTheQuery) {
  Parameter limit = parameter("limit", Type::integer);
  limit.fallback = "20";
  Parameter after = parameter("after");
  after.optional = true;
  const auto kind =
      make_sql(mount("/shops/{shop}/products", {limit, parameter("shop", Type::integer, true),
                                                after, parameter("q", Type::text)}));
  EXPECT_EQ(key_of(*kind, "/7/products?q=red+shoe"), "/7/products?limit=20&q=red%20shoe");
  EXPECT_EQ(key_of(*kind, "/07/products?x=1&q=red%20shoe&limit=020"),
            "/7/products?limit=20&q=red%20shoe");
  EXPECT_EQ(bound(*kind, "/7/products?q=&after=b"), (Values{"20", "7", "b", ""}));
  EXPECT_EQ(bound(*kind, "/7/products?q=x"), (Values{"20", "7", std::nullopt, "x"}));
  EXPECT_EQ(key_of(*kind, "/7/products"), "wrong: q is missing from the query");
  EXPECT_EQ(key_of(*kind, "/7/products?q=a&q=b"), "wrong: q is there more than once");
  EXPECT_EQ(key_of(*kind, "/7/products?q=a&%71=b"), "wrong: q is there more than once");
  EXPECT_EQ(key_of(*kind, "/x/products?q=a"), "wrong: shop is no integer");
  EXPECT_EQ(key_of(*kind, "/7/products?q=a&limit=many"), "wrong: limit is no integer");
  EXPECT_EQ(key_of(*kind, "/7/products?q=%zz"), "wrong: q has a % that escapes nothing");
}

TEST(SqlKindTest, RefusesWhatNoDatabaseCouldBeAsked) {
  const auto kind = make_sql(mount("/p/{id}", {parameter("id", Type::any, true)}));
  EXPECT_EQ(key_of(*kind, "/" + std::string(1025, 'x')), "wrong: id is longer than 1 KiB");
  EXPECT_EQ(key_of(*kind, "/" + std::string(16'000, 'x')), "wrong: id is longer than 1 KiB");
  EXPECT_EQ(key_of(*kind, "/a%00b"), "wrong: id is no text: UTF-8 without NUL is");
  EXPECT_EQ(key_of(*kind, "/%ff"), "wrong: id is no text: UTF-8 without NUL is");
  std::string key;
  EXPECT_EQ(kind->classify(get("DELETE"), "/1", "", key).way, Classified::Way::refused);
  const Refusal refusal = kind->refusal(get("DELETE"), "/1");
  EXPECT_EQ(refusal.status, 405);
  EXPECT_EQ(refusal.allow, "GET, HEAD");
}

TEST(SqlKindTest, ServesOnlyPathsOfItsForm) {
  const auto row = make_sql(mount("/p/{id}", {parameter("id", Type::any, true)}));
  const auto latest = make_sql(mount("/p/latest", {}));
  EXPECT_EQ(row->serves("/"), 0U);
  EXPECT_EQ(row->serves("/1/2"), 0U);
  EXPECT_GT(row->serves("/1?x=/"), 0U);
  EXPECT_GT(latest->serves("/latest"), row->serves("/latest"));
}

TEST(SqlKindTest, WhatTheDatabaseSaysOfAParameterHoldsFromThenOn) {
  Mount m = mount("/p/{id}", {parameter("id", Type::any, true)});
  const auto inferred = std::make_shared<Inferred>(1);
  m.inferred = inferred;
  const auto kind = make_sql(m);
  EXPECT_EQ(key_of(*kind, "/007"), "/007");
  inferred->set(0, Type::integer);
  EXPECT_EQ(key_of(*kind, "/007"), "/7");
  EXPECT_EQ(key_of(*kind, "/seven"), "wrong: id is no integer");
  EXPECT_EQ(changed(m, "0042")->rest, "/42");
}

TEST(SqlKindTest, AnotherQuerysRowsHaveOtherKeys) {
  Mount m = mount("/p/{id}", {parameter("id", Type::any, true)});
  m.form = "a1b2";
  EXPECT_EQ(key_of(*make_sql(m), "/7"),
            "/7\x1f"
            "a1b2");
}

TEST(SqlKindTest, ANotificationNamesWhatHasChanged) {
  const Mount one = mount("/products/{id}", {parameter("id", Type::integer, true)});
  const auto plain = changed(one, "42");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->rest, "/42");
  EXPECT_FALSE(plain->has_queries);
  EXPECT_EQ(changed(one, R"({"id": 42, "name": "x"})")->rest, "/42");
  EXPECT_EQ(changed(one, R"({"id": "0042"})")->rest, "/42");
  for (const auto* payload : {"", "*", "{", R"({"name": 1})", R"({"id": null})", R"({"id": [1]})"})
    EXPECT_FALSE(changed(one, payload)) << payload;

  const Mount two =
      mount("/shops/{shop}/{id}", {parameter("id", Type::text, true),
                                   parameter("shop", Type::integer, true), parameter("lang")});
  const auto both = changed(two, R"({"id": "a/b", "shop": 7})");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->rest, "/7/a%2Fb");
  EXPECT_TRUE(both->has_queries);
  EXPECT_FALSE(changed(two, "7")) << "one of two placeholders says not which row";
  const Mount reordered = mount("/p/{id}", {parameter("lang"), parameter("id", Type::any, true)});
  EXPECT_EQ(changed(reordered, "7")->rest, "/7");
  for (const auto* lossy : {R"({"id": 20.99})", R"({"id": 123456789012345678901234567890})"})
    EXPECT_FALSE(changed(one, lossy)) << lossy;
  EXPECT_FALSE(changed(mount("/all", {}), "42"));
}

}  // namespace
}  // namespace tanggul::registry::sql
