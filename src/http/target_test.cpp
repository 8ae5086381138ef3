#include "http/target.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::http {
namespace {

TEST(Target, IsCutAtTheFirstQuestionMark) {
  const auto t = split_target("/@scope%2fname?a=1?b");
  EXPECT_EQ(t.path, "/@scope%2fname");
  EXPECT_EQ(t.query, "a=1?b");
  EXPECT_TRUE(t.has_query);
  EXPECT_FALSE(split_target("/a").has_query);
  EXPECT_TRUE(split_target("/a?").has_query);
}

TEST(SortQuery, OrdersNamesAndKeepsTheOrderOfRepeats) {
  EXPECT_EQ(sort_query("b=1&a=2&a=1&c"), "a=2&a=1&b=1&c");
  EXPECT_EQ(sort_query("a%3D=1&a=2"), "a=2&a%3D=1");
  EXPECT_EQ(sort_query(""), "");
}

TEST(DropQuery, RemovesByWholeName) {
  const std::vector<std::string> names{"utm", "t"};
  EXPECT_EQ(drop_query("utm=1&utmx=2&t&a=t", names), "utmx=2&a=t");
  EXPECT_EQ(drop_query("utm=1", names), "");
  EXPECT_EQ(drop_query("a&&b", names), "a&&b");
}

TEST(SortQuery, LosesNoByteAndSettlesAtOnce) {
  EXPECT_TRUE(rc::check("sorting permutes and is idempotent", [](const std::string& query) {
    const auto sorted = sort_query(query);
    RC_ASSERT(sort_query(sorted) == sorted);
    RC_ASSERT(std::is_permutation(sorted.begin(), sorted.end(), query.begin(), query.end()));
    RC_ASSERT(drop_query(query, {}) == query);
  }));
}

TEST(Target, TellsAPathThatClimbsOutOfItsStart) {
  for (const char* out : {"/..", "/../x", "/a/../../x", "/%2e%2E/x", "/.%2e/x", "/a%2f..%2f..",
                          "/a\\..\\..", "/./..", "//..//..", "/a/%5c..%5c..", "..", "/a/..%2f.."})
    EXPECT_TRUE(climbs_out(out)) << out;
  for (const char* within : {"/", "", "/a/..", "/a/../b", "/a..b/c", "/...", "/.", "/%2e",
                             "/?x=/../..", "/a/b/../../c", "/..a", "/%2", "/a%"})
    EXPECT_FALSE(climbs_out(within)) << within;
}

}  // namespace
}  // namespace tanggul::http
