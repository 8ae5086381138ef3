#include "app/config/units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "app/config/url.h"

namespace tanggul::app {
namespace {

TEST(Units, WhatIsWrittenReadsBackAsTheSame) {
  EXPECT_TRUE(rc::check([] {
    const Duration d = std::chrono::milliseconds(*rc::gen::inRange<long>(0, 200'000'000));
    RC_ASSERT(read_duration(write_duration(d), 1s).value == d);
    const Duration whole = std::chrono::minutes(*rc::gen::inRange<long>(0, 100'000));
    RC_ASSERT(read_duration(write_duration(whole), 1s).value == whole);
    const auto n = *rc::gen::inRange<ByteCount>(0, 1_GiB);
    RC_ASSERT(read_size(write_size(n), 1).value == n);
    RC_ASSERT(read_size(write_size(n << 10), 1).value == n << 10);
  }));
}

TEST(Units, ReadNothingTwiceAndNothingPartly) {
  for (const char* text : {"", "s", "5", "5 s", "5s ", "+5s", "5S", "5sm", "0x5s", "1e3s"}) {
    EXPECT_FALSE(read_duration(text, 1s).value) << text;
  }
  for (const char* text : {"/s", "5/", "5/0s", "a/s", "5/s/s", "5/x", "1.5/s"}) {
    EXPECT_FALSE(read_rate(text).value) << text;
  }
  EXPECT_DOUBLE_EQ(read_rate("120/m").value->per_second, 2);
  EXPECT_DOUBLE_EQ(read_rate("1/3s").value->per_second, 1.0 / 3);
  EXPECT_EQ(read_byte_rate("0B/s", 1).value, 0U);
}

TEST(Units, PeoplesUnitsAreWritten) {
  EXPECT_EQ(write_duration(60s), "60s");
  EXPECT_EQ(write_duration(24h), "24h");
  EXPECT_EQ(write_duration(5min), "5m");
  EXPECT_EQ(write_duration(48h), "2d");
  EXPECT_EQ(write_duration(1500ms), "1500ms");
  EXPECT_EQ(write_size(1024), "1KiB");
  EXPECT_EQ(write_size(1000), "1000B");
}

TEST(Units, AreWrittenForPeople) {
  EXPECT_EQ(write_count(0), "0");
  EXPECT_EQ(write_count(999), "999");
  EXPECT_EQ(write_count(48'210), "48,210");
  EXPECT_EQ(write_count(1'234'567), "1,234,567");
  EXPECT_EQ(write_count(-999), "-999");
  EXPECT_EQ(write_span(0s), "0s");
  EXPECT_EQ(write_span(59'900ms), "59s");
  EXPECT_EQ(write_span(4min + 12s), "4m 12s");
  EXPECT_EQ(write_span(2h + 14min + 59s), "2h 14m");
  EXPECT_EQ(write_span(76h), "3d 4h");
  EXPECT_EQ(write_span(-1s), "0s");
}

TEST(Url, MasksTheUserinfoOfEveryUrlInAText) {
  EXPECT_EQ(mask_userinfo("http://a:b@h/x"), "http://***:***@h/x");
  EXPECT_EQ(mask_userinfo("http://a:b@c@h/x@y http://t@i"),
            "http://***:***@h/x@y http://***:***@i");
  EXPECT_EQ(mask_userinfo("http://h/a@b"), "http://h/a@b");
  EXPECT_EQ(mask_userinfo("http://a:b/c@h/x"), "http://***:***@h/x");
  EXPECT_EQ(mask_userinfo("http://h:80/@scope/x"), "http://h:80/@scope/x");
  EXPECT_EQ(mask_userinfo("plain a@b"), "plain a@b");
}

TEST(Url, IsNormalised) {
  EXPECT_EQ(read_url("HTTP://Host.Test:80/A%2fb//").value->text(), "http://host.test/A%2fb");
  EXPECT_EQ(read_url("https://[::1]:8443").value->text(), "https://[::1]:8443");
  for (const char* text :
       {"", "h", "//h/", "http:///x", "http://h:0", "http://h:65536", "http://h/?", "http://h/#",
        "http://h/a/../b", "http://h/ x", "file:///etc"}) {
    EXPECT_FALSE(read_url(text).value) << text;
  }
}

}  // namespace
}  // namespace tanggul::app
