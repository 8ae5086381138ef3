#include "cache/copy_format.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace tanggul::cache {
namespace {

const Now kNow{MonoTime(1h), WallTime(1'700'000'000s)};
const ports::PurgePlace kPlace{"epoch", 7};

Entry document() {
  Entry e;
  e.status = 200;
  e.headers.add("Content-Type", "application/json");
  e.forms.push_back({"", "\"a\"", std::make_shared<const std::string>("{\"a\": 1}")});
  e.forms.push_back({"gzip", "\"a-gzip\"", std::make_shared<const std::string>("packed")});
  e.times.stored_at = e.times.birth = kNow.wall;
  e.times.expires = kNow.wall + 60s;
  e.times.cost = 123ms;
  return e;
}

Failure failure() {
  Failure f;
  f.code = Errc::reset;
  f.status = 503;
  f.title = "The origin failed";
  f.detail = "503 from the origin";
  f.from_origin = true;
  return f;
}

TEST(Copy, GivesBackTheEntryWithItsBodiesAndItsTimes) {
  const std::string bytes =
      encode_copy(document(), "key", {{"accept-encoding"}, "gzip"}, kPlace, false);
  const auto copy = decode_copy(bytes, kNow);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->key, "key");
  EXPECT_EQ(copy->variant.names, (std::vector<std::string>{"accept-encoding"}));
  EXPECT_EQ(copy->variant.values, "gzip");
  EXPECT_EQ(copy->asked_at.epoch, "epoch");
  EXPECT_EQ(copy->asked_at.sequence, 7u);
  ASSERT_EQ(copy->entry->forms.size(), 2u);
  EXPECT_EQ(*std::get<SharedBytes>(copy->entry->forms[0].body), "{\"a\": 1}");
  EXPECT_EQ(*std::get<SharedBytes>(copy->entry->forms[1].body), "packed");
  EXPECT_EQ(copy->entry->times.expires, kNow.wall + 60s);
  EXPECT_EQ(copy->entry->times.cost, 123ms);
  EXPECT_FALSE(copy->entry->forms[0].head.empty());
}

TEST(Copy, OfABodyThatLiesElsewhereTellsItsSize) {
  const std::string bytes = encode_copy(document(), "key", {}, kPlace, true);
  const auto copy = decode_copy(bytes, kNow);
  ASSERT_TRUE(copy);
  EXPECT_TRUE(copy->elsewhere);
  EXPECT_EQ(copy->sizes, (std::vector<ByteCount>{8, 6}));
}

TEST(Copy, GivesBackAFailureWithTheTimeThatItHasLeft) {
  const auto copy = decode_copy(encode_copy(failure(), kNow.wall + 20s, kPlace), kNow);
  ASSERT_TRUE(copy);
  ASSERT_TRUE(copy->failure);
  EXPECT_EQ(copy->failure->status, 503);
  EXPECT_EQ(copy->failure->detail, "503 from the origin");
  EXPECT_TRUE(copy->failure->from_origin);
  EXPECT_EQ(copy->failure->retry_at, kNow.mono + 20s);
}

TEST(Copy, OfAFailureFromAClockFarAheadIsNotRememberedForEver) {
  const auto copy = decode_copy(encode_copy(failure(), kNow.wall + 1000h, kPlace), kNow);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->expires, kNow.wall + 60s);
}

policy::StoredTimes times_read(Duration stored_in, Duration expires_in) {
  Entry entry = document();
  entry.times.stored_at = entry.times.birth = kNow.wall + stored_in;
  entry.times.expires = kNow.wall + expires_in;
  const auto copy = decode_copy(encode_copy(entry, "key", {}, kPlace, false), kNow);
  return copy ? copy->entry->times : policy::StoredTimes();
}

TEST(Copy, OfAnEntryFromAClockAheadIsFreshForNoLongerThanItWasThere) {
  EXPECT_EQ(times_read(1h, 1h + 60s).expires, kNow.wall + 60s);
  EXPECT_EQ(times_read(1h, 1h).expires, kNow.wall);
  EXPECT_EQ(times_read(1h, 30min).expires, kNow.wall);
  EXPECT_EQ(times_read(1h, -30min).expires, kNow.wall - 30min);
  EXPECT_EQ(times_read(1h, 1h + 60s).stored_at, kNow.wall + 1h);  // by that it is known
  EXPECT_EQ(times_read(-1h, 60s).expires, kNow.wall + 60s);
}

TEST(Copy, IsRefusedIfAnyByteOfItsBodyIsAnother) {
  std::string bytes = encode_copy(document(), "key", {}, kPlace, false);
  bytes.back() ^= 1;
  EXPECT_FALSE(decode_copy(bytes, kNow));
}

TEST(Copy, IsRefusedIfItIsCutAnywhereOrLonger) {
  for (const std::string& bytes : {encode_copy(document(), "key", {{"accept"}, "v"}, kPlace, false),
                                   encode_copy(document(), "key", {{"accept"}, "v"}, kPlace, true),
                                   encode_copy(failure(), kNow.wall + 20s, kPlace)}) {
    for (std::size_t n = 0; n < bytes.size(); ++n)
      EXPECT_FALSE(decode_copy(bytes.substr(0, n), kNow)) << n;
    EXPECT_FALSE(decode_copy(bytes + "x", kNow));
  }
}

}  // namespace
}  // namespace tanggul::cache
