#include "http/range.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace tanggul::http {
namespace {

std::vector<ByteRange> of(std::string_view value, ByteCount length) {
  const auto specs = parse_range(value);
  EXPECT_TRUE(specs) << value;
  return specs ? resolve(*specs, length) : std::vector<ByteRange>{};
}
using Ranges = std::vector<ByteRange>;

TEST(Range, MeansBytesFromAndToAndTheLastOnes) {
  EXPECT_EQ(of("bytes=0-1", 10), (Ranges{{0, 2}}));
  EXPECT_EQ(of("bytes=7-", 10), (Ranges{{7, 3}}));
  EXPECT_EQ(of("bytes=-4", 10), (Ranges{{6, 4}}));
  EXPECT_EQ(of("Bytes= 0-0 , -1", 10), (Ranges{{0, 1}, {9, 1}}));
}

TEST(Range, EndsWhereTheBytesDo) {
  EXPECT_EQ(of("bytes=5-99", 10), (Ranges{{5, 5}}));
  EXPECT_EQ(of("bytes=-99", 10), (Ranges{{0, 10}}));
  EXPECT_EQ(of("bytes=0-99999999999999999999999", 10), (Ranges{{0, 10}}));
  EXPECT_EQ(of("bytes=-99999999999999999999999", 10), (Ranges{{0, 10}}));
}

TEST(Range, CannotBeSatisfiedBeyondTheEnd) {
  for (const char* value : {"bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999-"})
    EXPECT_TRUE(of(value, 10).empty()) << value;
  EXPECT_TRUE(of("bytes=0-", 0).empty());
  EXPECT_TRUE(of("bytes=-5", 0).empty());
  EXPECT_EQ(of("bytes=20-30, 1-1", 10), (Ranges{{1, 1}}));
}

TEST(Range, IsIgnoredWhenMalformed) {
  for (const char* value :
       {"", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=1", "bytes=5-2",
        "lines=0-1", "bytes 0-1", "bytes=0-1,x", "bytes=0-1, bytes=2-3", "bytes=+1-2", "bytes=1--2",
        "bytes=0x1-2", "bytes=1 -2"})
    EXPECT_FALSE(parse_range(value)) << value;
}

TEST(Range, IsIgnoredWhenItHasTooManyParts) {
  std::string value = "bytes=0-0";
  for (std::size_t i = 1; i < kMostRanges; ++i) value += "," + std::to_string(2 * i) + "-";
  EXPECT_TRUE(parse_range(value));
  EXPECT_FALSE(parse_range(value + ",1-1"));
}

TEST(Range, PartsThatOverlapOrTouchAreOne) {
  EXPECT_EQ(of("bytes=5-7,0-2,3-4", 10), (Ranges{{0, 8}}));
  EXPECT_EQ(of("bytes=0-,0-,0-,-5", 10), (Ranges{{0, 10}}));
  EXPECT_EQ(of("bytes=6-7,0-2", 10), (Ranges{{0, 3}, {6, 2}}));
}

// Against a model that marks every byte.
TEST(Range, NamesExactlyTheBytesThatWereAskedFor) {
  rc::check([] {
    const auto length = *rc::gen::inRange<ByteCount>(0, 40);
    std::string value = "bytes=";
    std::set<ByteCount> wanted;
    const int parts = *rc::gen::inRange(1, 6);
    for (int i = 0; i < parts; ++i) {
      const auto a = *rc::gen::inRange<ByteCount>(0, 50), b = *rc::gen::inRange<ByteCount>(0, 50);
      const int form = *rc::gen::inRange(0, 3);
      const ByteCount first = form == 2 ? (b < length ? length - b : 0) : std::min(a, b);
      const ByteCount end = form == 0 ? std::max(a, b) + 1 : length;
      if (form == 0) value += std::to_string(first) + "-" + std::to_string(end - 1);
      if (form == 1) value += std::to_string(first) + "-";
      if (form == 2) value += "-" + std::to_string(b);
      value += ",";
      for (ByteCount at = first; at < std::min(end, length); ++at) wanted.insert(at);
    }
    std::set<ByteCount> got;
    ByteCount before = 0;
    for (const ByteRange& range : of(value, length)) {
      RC_ASSERT(range.size > 0U);
      RC_ASSERT((got.empty() || range.first > before));  // ascending, with a gap
      for (ByteCount at = range.first; at < range.end(); ++at) got.insert(at);
      before = range.end();
    }
    RC_ASSERT(got == wanted);
  });
}

TEST(Range, AnyBytesAreReadSafely) {
  rc::check([](const std::string& noise, ByteCount length) {
    for (const std::string& value : {noise, "bytes=" + noise}) {
      const auto specs = parse_range(value);
      if (!specs) continue;
      for (const ByteRange& range : resolve(*specs, length)) RC_ASSERT(range.end() <= length);
    }
    const auto part = parse_content_range("bytes " + noise);
    RC_ASSERT((!part || !part->complete || part->range.end() <= *part->complete));
  });
}

TEST(ContentRange, ReadsWhatItWrites) {
  rc::check([](std::uint32_t first, std::uint16_t size, std::uint16_t more) {
    const ByteRange range{first, size + 1U};
    const auto read = parse_content_range(content_range(range, range.end() + more));
    RC_ASSERT((read && read->range == range && read->complete == range.end() + more));
  });
}

TEST(ContentRange, RefusesWhatContradictsItself) {
  EXPECT_TRUE(parse_content_range("bytes 0-4/10"));
  EXPECT_FALSE(parse_content_range("bytes 0-4/*")->complete);
  for (const char* value :
       {"bytes 0-10/10", "bytes 4-0/10", "bytes */10", "bytes 0-4", "lines 0-4/9", "bytes 0-4/",
        "bytes -4/10", "bytes 0-18446744073709551615/*"})
    EXPECT_FALSE(parse_content_range(value)) << value;
}

}  // namespace
}  // namespace tanggul::http
