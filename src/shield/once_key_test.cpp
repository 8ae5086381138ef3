#include "shield/once_key.h"

#include <gtest/gtest.h>

#include "cache/purges.h"

namespace tanggul::shield {
namespace {

TEST(OnceKey, AnyKeyComesThroughAPath) {
  for (const std::string& key :
       {std::string("a"), std::string("linux/x86_64 gcc-12?x=%2f&y#z"), std::string("\xc3\xa9/.."),
        std::string("\xc2\xa0\xf0\x9f\x98\x80"), std::string(1024, '/')}) {
    for (const std::string_view verb : {"", "renew"}) {
      const std::string target = once_path(key, verb);
      const auto path = read_once_path(target);
      ASSERT_TRUE(path) << key;
      EXPECT_EQ(path->key, key);
      EXPECT_EQ(path->verb, verb);
    }
  }
}

TEST(OnceKey, WhatIsNoKeyIsRefused) {
  for (const std::string& target :
       {std::string("/.tanggul/once/"), std::string("/.tanggul/once//renew"),
        std::string("/.tanggul/once/%0a"), std::string("/.tanggul/once/%1f"),
        std::string("/.tanggul/once/%7F"), std::string("/.tanggul/once/%00"),
        std::string("/.tanggul/once/a%"), std::string("/.tanggul/once/a%2"),
        std::string("/.tanggul/once/a%zz"), std::string("/.tanggul/gate/a"),
        std::string("/.tanggul/once/%ff%fe"), std::string("/.tanggul/once/a%c3"),
        std::string("/.tanggul/once/%c2%9b"), std::string("/.tanggul/once/\xff"),
        "/.tanggul/once/" + std::string(1025, 'a')})
    EXPECT_FALSE(read_once_path(target)) << target;
}

TEST(OnceKey, StandsBelowNoOriginAndOneIsNotBelowAnother) {
  EXPECT_EQ(once_cache_key("a").find_first_of("abcdefghijklmnopqrstuvwxyz0123456789_-"), 1U);
  EXPECT_TRUE(cache::belongs_to(once_cache_key("a"), once_cache_key("a")));
  EXPECT_FALSE(cache::belongs_to(once_cache_key("ab"), once_cache_key("a")));
  EXPECT_NE(once_id("a"), once_id("b"));
  EXPECT_EQ(once_id("a").size(), 32U);
}

}  // namespace
}  // namespace tanggul::shield
