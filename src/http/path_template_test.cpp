#include "http/path_template.h"

#include <gtest/gtest.h>

namespace tanggul::http {
namespace {

PathTemplate made(std::string_view text) {
  std::string wrong;
  auto out = PathTemplate::parse(text, wrong);
  EXPECT_TRUE(out) << text << " " << wrong;
  return *out;
}

TEST(PathTemplateTest, CutsWhatEveryPathBeginsWith) {
  EXPECT_EQ(made("/products/{id}").prefix(), "/products/");
  EXPECT_EQ(made("/api/v1/products/{id}/reviews/{n}").prefix(), "/api/v1/products/");
  EXPECT_EQ(made("/{a}/b").prefix(), "/");
  EXPECT_EQ(made("/search").prefix(), "/");
  EXPECT_EQ(made("/api/search").prefix(), "/api/");
}

TEST(PathTemplateTest, MatchesWholePathsAndNothingElse) {
  PathTemplate::Segments got;
  const PathTemplate one = made("/products/{id}");
  ASSERT_TRUE(one.match("/42", got));
  EXPECT_EQ(got[0], "42");
  ASSERT_TRUE(one.match("/a%2Fb", got));
  EXPECT_EQ(got[0], "a%2Fb");
  for (const auto* rest : {"/", "", "/42/", "/42/x", "//42", "42"})
    EXPECT_FALSE(one.match(rest, got)) << rest;
  const PathTemplate two = made("/p/{id}/reviews/{n}");
  ASSERT_TRUE(two.match("/7/reviews/3", got));
  EXPECT_EQ(got[0], "7");
  EXPECT_EQ(got[1], "3");
  EXPECT_FALSE(two.match("/7/review/3", got));
  EXPECT_TRUE(made("/api/search").match("/search", got));
  EXPECT_FALSE(made("/api/search").match("/searches", got));
}

TEST(PathTemplateTest, TheCloserOneHasMoreLiteralBytes) {
  EXPECT_GT(made("/products/latest").literal(), made("/products/{id}").literal());
  EXPECT_EQ(made("/p/{id}").shape(), made("/p/{name}").shape());
  EXPECT_NE(made("/p/{id}").shape(), made("/p/{id}/x").shape());
}

TEST(PathTemplateTest, RefusesWhatIsNone) {
  for (const auto* text :
       {"", "/", "products/{id}", "/p/{}", "/p/{a b}", "/p/x{id}", "/p/{id}.json", "/p/{id}/{id}",
        "/p//{id}", "/p/{id}/", "/p/../{id}", "/p/{id", "/p/a}", "/p/%41/{id}", "/p/{id}?x=1",
        "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}"}) {
    std::string wrong;
    EXPECT_FALSE(PathTemplate::parse(text, wrong)) << text;
    EXPECT_FALSE(wrong.empty()) << text;
  }
}

TEST(PathTemplateTest, WritesThePathAgain) {
  std::string out;
  made("/p/{id}/reviews/{n}").append({"7", "3"}, out);
  EXPECT_EQ(out, "/7/reviews/3");
}

}  // namespace
}  // namespace tanggul::http
