#include "adapters/curl/gunzip.h"

#include <gtest/gtest.h>

#include "http/gzip.h"

namespace tanggul::curl {
namespace {

std::string text(std::size_t size) {
  std::string s;
  for (std::size_t i = 0; s.size() < size; ++i) s += std::to_string(i * i);
  s.resize(size);
  return s;
}

struct Outcome {
  std::string bytes;
  Gunzip::Step step = Gunzip::Step::more;
  bool whole = false;
};

Outcome decode(std::string_view in, std::size_t piece) {
  Gunzip g;
  Outcome o;
  for (; !in.empty() && o.step == Gunzip::Step::more;
       in.remove_prefix(std::min(piece, in.size()))) {
    o.step = g.write(in.substr(0, piece), [&](std::string_view b) { return o.bytes += b, true; });
  }
  o.whole = g.whole();
  return o;
}

TEST(Gunzip, DecodesWhateverThePieces) {
  for (const std::size_t size : {0u, 1u, 32u * 1024, 200'000u}) {
    const std::string plain = text(size), packed = http::gzip(plain);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, packed.size()}) {
      const Outcome o = decode(packed, piece);
      EXPECT_EQ(o.bytes, plain);
      EXPECT_TRUE(o.whole);
    }
  }
}

TEST(Gunzip, KnowsACutStreamAtEveryPlace) {
  const std::string packed = http::gzip(text(300));
  for (std::size_t n = 0; n < packed.size(); ++n) {
    EXPECT_FALSE(decode(std::string_view(packed).substr(0, n), 1000).whole) << n;
  }
}

TEST(Gunzip, TakesMembersInARow) {
  const Outcome o = decode(http::gzip("one") + http::gzip("two"), 5);
  EXPECT_EQ(o.bytes, "onetwo");
  EXPECT_TRUE(o.whole);
}

TEST(Gunzip, RefusesWhatIsNoGzipOrHasAWrongChecksum) {
  EXPECT_EQ(decode("plain text", 100).step, Gunzip::Step::corrupt);
  std::string packed = http::gzip(text(300));
  packed[packed.size() - 6] ^= 1;
  EXPECT_EQ(decode(packed, 1000).step, Gunzip::Step::corrupt);
}

TEST(Gunzip, StopsWhenToldTo) {
  Gunzip g;
  EXPECT_EQ(g.write(http::gzip(text(200'000)), [](std::string_view) { return false; }),
            Gunzip::Step::stopped);
}

}  // namespace
}  // namespace tanggul::curl
