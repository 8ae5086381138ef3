#include "tanggul/policy/key_difference.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <random>

namespace tanggul::policy {
namespace {

std::vector<MissedKey> targets(std::size_t n, const std::function<std::string(std::size_t)>& of) {
  std::vector<MissedKey> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back({of(i), 0, 0});
  return out;
}

std::string told(const std::vector<MissedKey>& keys) { return describe(key_difference(keys)); }

std::string n(std::size_t i) { return std::to_string(i); }

TEST(KeyDifference, NamesWhatTellsThemApart) {
  struct Case {
    std::function<std::string(std::size_t)> target;
    std::string told;
  } cases[] = {
      {[](std::size_t i) { return "/x?ts=" + n(i); }, "they differ in ?ts="},
      {[](std::size_t i) { return "/x?a=1&ts=" + n(i) + "&b"; }, "they differ in ?ts="},
      {[](std::size_t i) { return "/" + n(i % 7) + "?ts=" + n(i); }, "they differ in ?ts="},
      {[](std::size_t i) { return "/x?n=" + n(i) + "&l=" + n(i % 2) + "&ts=" + n(i); },
       "they differ in ?n= and ?ts="},
      {[](std::size_t i) { return "/x?a=" + n(i) + "&b=" + n(i) + "&c=" + n(i) + "&d=" + n(i); },
       "they differ in ?a=, ?b= and 2 more"},
      {[](std::size_t i) { return "/x?" + n(i); }, "they differ in a query without names"},
      {[](std::size_t i) { return "/x?k" + n(i) + "=1"; },
       "they differ in parameters of ever-new names"},
      {[](std::size_t i) { return "/api/" + n(i) + "/log"; },
       "they differ in the 2nd path segment, /api/*/log"},
      {[](std::size_t i) { return "/api/" + n(i) + "/log?page=" + n(i % 3); },
       "they differ in the 2nd path segment, /api/*/log"},
      {[](std::size_t i) { return "/" + n(i); }, "they differ in the 1st path segment, /*"},
      {[](std::size_t i) { return "/repos/" + n(i / 4) + "/" + n(i) + "/zip"; },
       "they differ in the 2nd and 3rd path segments, /repos/*/*/zip"},
      {[](std::size_t i) { return "/v" + n(i % 2) + "/" + n(i) + "/zip"; },
       "they differ in the 2nd path segment, /_/*/zip"},
      {[](std::size_t i) { return i % 5 < 3 ? "/a?ts=" + n(i) : "/b/" + n(i) + "/c"; },
       "they differ in ?ts="},
      {[](std::size_t i) { return "/" + n(i) + "?ts=" + n(i); }, "they differ in nothing common"},
      {[](std::size_t) { return "/x?ts=1"; }, "they differ in nothing common"},
  };
  for (const Case& c : cases) EXPECT_EQ(told(targets(256, c.target)), c.told) << c.target(1);
  EXPECT_EQ(told({}), "they differ in nothing common");
}

TEST(KeyDifference, NamesTheCredentialAndTheVariantWhereTheTargetIsTheSame) {
  std::vector<MissedKey> keys = targets(256, [](std::size_t i) { return "/" + n(i % 4); });
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i].credential = 1000 + i;
  EXPECT_EQ(told(keys), "they differ in the client's credential");
  for (MissedKey& key : keys) std::swap(key.credential, key.variant);
  EXPECT_EQ(told(keys), "they differ in a request header that Vary names");
}

TEST(KeyDifference, FindsTheOneParameterAmongSteadyOnes) {
  EXPECT_TRUE(rc::check("wherever it stands, whatever the order of the keys", [] {
    const auto steady = *rc::gen::inRange<std::size_t>(0, 12);
    const auto at = *rc::gen::inRange<std::size_t>(0, steady + 1);
    const auto paths = *rc::gen::inRange<std::size_t>(1, 9);
    std::vector<MissedKey> keys = targets(200, [&](std::size_t i) {
      std::string target = "/p" + n(i % paths) + "/file?";
      for (std::size_t p = 0; p <= steady; ++p) {
        if (p == at) target += "nonce=" + n(i * 7919) + "&";
        if (p < steady) target += "s" + n(p) + "=" + n(p) + "&";
      }
      return target;
    });
    const KeyDifference found = key_difference(keys);
    RC_ASSERT(found.parameters == std::vector<std::string>{"?nonce="});
    std::shuffle(keys.begin(), keys.end(), std::mt19937(*rc::gen::arbitrary<unsigned>()));
    RC_ASSERT(key_difference(keys) == found);
  }));
}

TEST(KeyDifference, FindsTheOnePathSegment) {
  EXPECT_TRUE(rc::check("however long the path", [] {
    const auto before = *rc::gen::inRange<std::size_t>(0, 8);
    const auto after = *rc::gen::inRange<std::size_t>(0, 8);
    const KeyDifference found = key_difference(targets(200, [&](std::size_t i) {
      std::string path;
      for (std::size_t s = 0; s < before; ++s) path += "/b";
      path += "/" + n(i);
      for (std::size_t s = 0; s < after; ++s) path += "/a";
      return path;
    }));
    RC_ASSERT(found.in == KeyDifference::In::path_segments);
    RC_ASSERT(found.segments == std::vector<std::size_t>{before});
  }));
}

TEST(KeyDifference, TellsNoValueAndNothingThatATerminalWouldObey) {
  EXPECT_TRUE(rc::check("whatever clients send", [] {
    const auto bytes = rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    const std::string name = *bytes, path = *bytes;
    const bool named = *rc::gen::arbitrary<bool>();
    const std::string line = told(targets(100, [&](std::size_t i) {
      std::string target = "/" + path + "?";
      if (named) target.append(name).append("=");
      return target + "SECRET" + n(i) + "&token=SECRET";
    }));
    RC_ASSERT(line.find("SECRET") == std::string::npos);
    RC_ASSERT(line.size() <= 200U);
    RC_ASSERT(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 0x7f; }));
  }));
}

TEST(KeyDifference, BoundsWhatItTells) {
  const std::string line = told(targets(100, [](std::size_t i) {
    std::string target = "/x?";
    for (const char* name : {"a", "b", "c"}) target += std::string(5000, *name) + "=" + n(i) + "&";
    return target;
  }));
  EXPECT_LE(line.size(), 200U);
  const std::string path = told(targets(100, [](std::size_t i) {
    return "/" + n(i) + "/" + std::string(5000, 'a') + "/" + std::string(300, 'b') + "/c/d/e/f/g";
  }));
  EXPECT_LE(path.size(), 200U);
  EXPECT_TRUE(path.starts_with("they differ in the 1st path segment, /*/aaaa")) << path;
}

}  // namespace
}  // namespace tanggul::policy
