#include "http/targeted.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tanggul/http/cache_control.h"

namespace tanggul::http {
namespace {

TEST(Targeted, IsADictionaryOfDirectives) {
  const auto text = targeted_directives("max-age=600, no-cache, stale-if-error=5;why=\"so\"");
  ASSERT_TRUE(text);
  const CacheControl cc = parse_cache_control(*text);
  EXPECT_EQ(cc.max_age, std::chrono::seconds(600));
  EXPECT_EQ(cc.stale_if_error, std::chrono::seconds(5));
  EXPECT_TRUE(cc.no_cache);
}

TEST(Targeted, CountsAsAbsentWhenItIsEmptyOrDoesNotParse) {
  for (const char* value : {"", "  ", "max-age=10000, &&&&&", "MaX-aGe=3600", "max-age =100",
                            "max-age= 100", "max-age=1,", "max-age=\"1", "no-cache=(a",
                            "max-age=12345678901234567", "a=:b", "a=?2", "a;B", ", a", "a,,b"})
    EXPECT_FALSE(targeted_directives(value)) << value;
}

TEST(Targeted, LeavesOutADirectiveOfAnotherType) {
  EXPECT_EQ(targeted_directives("max-age=\"10000\""), "");
  EXPECT_EQ(targeted_directives("max-age=-1, no-store"), "no-store");
  EXPECT_EQ(targeted_directives("max-age=1.5, private=?1"), "private");
  EXPECT_EQ(targeted_directives("no-store=?0, no-cache=(a b), max-age=3"), "max-age=3");
  EXPECT_EQ(targeted_directives("no-cache=\"a, b\""), "no-cache=\"a, b\"");
}

TEST(Targeted, TheLastOfANameCounts) {
  EXPECT_EQ(targeted_directives("max-age=1, max-age=2"), "max-age=2");
}

TEST(Targeted, StandsForCacheControlAndExpires) {
  const Headers response({{"Cache-Control", "no-store"},
                          {"Expires", "0"},
                          {"CDN-Cache-Control", "max-age=60"},
                          {"ETag", "\"1\""}});
  const Headers judged = as_directed(response, {"tanggul-cache-control", "cdn-cache-control"});
  EXPECT_EQ(judged.joined("cache-control"), "max-age=60");
  EXPECT_FALSE(judged.has("expires"));
  EXPECT_TRUE(judged.has("etag"));
  EXPECT_EQ(as_directed(response, {}).joined("cache-control"), "no-store");
}

TEST(Targeted, TheFirstFieldThatCountsWins) {
  const Headers response({{"A", "&"}, {"B", "max-age=2"}, {"C", "max-age=3"}});
  EXPECT_EQ(as_directed(response, {"a", "b", "c"}).joined("cache-control"), "max-age=2");
}

TEST(Targeted, AnyBytesAreReadSafely) {
  rc::check([](const std::string& noise) {
    for (const std::string& value : {noise, "max-age=1, " + noise, "a=\"" + noise, "a=(" + noise})
      if (const auto text = targeted_directives(value)) parse_cache_control(*text);
  });
}

}  // namespace
}  // namespace tanggul::http
