#include "cache/entry_format.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>

namespace tanggul::cache {
namespace {

SharedBytes bytes_of(std::string_view s) { return std::make_shared<const std::string>(s); }

Entry packument() {
  Entry e;
  e.status = 200;
  e.headers.add("Content-Type", "application/json");
  e.headers.add("Empty", "");
  e.forms.push_back({"", "\"a\"", bytes_of("{}"), "HTTP/1.1 200 OK\r\n"});
  e.forms.push_back({"gzip", "\"a-gzip\"", FileBody{nullptr, 5'000'000'000}, ""});
  e.times.stored_at = WallTime(1'700'000'000s + 1ns);
  e.times.birth = e.times.stored_at - 7s;
  e.times.expires = e.times.stored_at + 60s;
  e.times.stale_while_revalidate = 10s;
  e.times.stale_if_error = 24h;
  e.times.cost = 123ms;
  e.times.no_cache = true;
  e.revalidatable = true;
  e.origin_etag = "W/\"origin\"";
  e.vary = {"accept", "accept-encoding"};
  e.digests = {{"a-1.tgz", "", "sha512-x", "12"}, {"a-2.tgz", "https://cdn.test/a-2.tgz", "", ""}};
  return e;
}

void expect_same(const Entry& got, const Entry& want) {
  EXPECT_EQ(got.kind, want.kind);
  EXPECT_EQ(got.status, want.status);
  ASSERT_EQ(got.headers.size(), want.headers.size());
  EXPECT_TRUE(std::equal(
      got.headers.begin(), got.headers.end(), want.headers.begin(),
      [](const auto& a, const auto& b) { return a.name == b.name && a.value == b.value; }));
  ASSERT_EQ(got.forms.size(), want.forms.size());
  for (std::size_t i = 0; i < got.forms.size(); ++i) {
    EXPECT_EQ(got.forms[i].encoding, want.forms[i].encoding);
    EXPECT_EQ(got.forms[i].etag, want.forms[i].etag);
  }
  EXPECT_EQ(got.times.stored_at, want.times.stored_at);
  EXPECT_EQ(got.times.birth, want.times.birth);
  EXPECT_EQ(got.times.expires, want.times.expires);
  EXPECT_EQ(got.times.stale_while_revalidate, want.times.stale_while_revalidate);
  EXPECT_EQ(got.times.stale_if_error, want.times.stale_if_error);
  EXPECT_EQ(got.times.cost, want.times.cost);
  EXPECT_EQ(got.times.no_cache, want.times.no_cache);
  EXPECT_EQ(got.times.must_revalidate, want.times.must_revalidate);
  EXPECT_EQ(got.negative, want.negative);
  EXPECT_EQ(got.revalidatable, want.revalidatable);
  EXPECT_EQ(got.origin_etag, want.origin_etag);
  EXPECT_EQ(got.vary, want.vary);
  ASSERT_EQ(got.digests.size(), want.digests.size());
  for (std::size_t i = 0; i < got.digests.size(); ++i) {
    EXPECT_EQ(got.digests[i].file, want.digests[i].file);
    EXPECT_EQ(got.digests[i].url, want.digests[i].url);
    EXPECT_EQ(got.digests[i].integrity, want.digests[i].integrity);
    EXPECT_EQ(got.digests[i].sha1, want.digests[i].sha1);
  }
}

std::uint32_t size_field(std::string_view whole) {
  std::uint32_t n = 0;
  for (int i = 3; i >= 0; --i)
    n = n << 8 | static_cast<unsigned char>(whole[12 + static_cast<std::size_t>(i)]);
  return n;
}

// As somebody would write it who knows the format and means ill.
std::string sealed(std::string payload, char version = kEntryVersion) {
  std::string out("tanggul\n\0\0\0\0", 12);
  out[8] = version;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(payload.size() >> (8 * i));
  out += Digest::of(DigestKind::sha256, out + payload);
  return out + payload;
}
std::string payload_of(const Entry& e) { return encode(e, "k").substr(kEntryPrefix); }

TEST(EntryFormat, GivesBackWhatWasWritten) {
  const Entry e = packument();
  const std::string file_sum(32, 'f');
  const std::string whole =
      encode(e, std::string_view("key\x1fwith\0zero", 13), std::vector<std::string>{"", file_sum});
  const auto got = decode(whole);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->key, std::string_view("key\x1fwith\0zero", 13));
  expect_same(got->entry, e);
  ASSERT_EQ(got->bodies.size(), 2U);
  EXPECT_TRUE(got->bodies[0].present);
  EXPECT_EQ(got->bodies[0].length, 2U);
  EXPECT_EQ(got->bodies[0].sha256, Digest::of(DigestKind::sha256, "{}"));
  EXPECT_EQ(got->bodies[1].length, 5'000'000'000U);
  EXPECT_EQ(got->bodies[1].sha256, file_sum);
  EXPECT_EQ(size_of(got->entry.forms[0].body), 0U);
}

TEST(EntryFormat, IsSettled) {
  // Entries on disk outlive the program that wrote them: another layout needs another version.
  EXPECT_EQ(to_hex(Digest::of(DigestKind::sha256, encode(packument(), "key"))),
            "5ed324a1dba872fb21979308c8549298b63345b710047dff1d745be4095a2077");
}

TEST(EntryFormat, KeepsMarkersAndAnswersWithoutABody) {
  Entry vary;
  vary.kind = Entry::Kind::vary;
  vary.vary = {"accept"};
  expect_same(decode(encode(vary, "k"))->entry, vary);
  Entry solo;
  solo.kind = Entry::Kind::solo;
  solo.times.expires = WallTime(5s);
  expect_same(decode(encode(solo, "k"))->entry, solo);
  Entry head;
  head.status = 200;
  head.forms.emplace_back();
  EXPECT_FALSE(decode(encode(head, "k"))->bodies[0].present);
  Entry empty = head;
  empty.forms[0].body = bytes_of("");
  EXPECT_TRUE(decode(encode(empty, "k"))->bodies[0].present);
  Entry failure;
  failure.kind = Entry::Kind::failure;
  EXPECT_EQ(encode(failure, "k"), "");
}

TEST(EntryFormat, RefusesEveryFlippedByte) {
  const std::string whole = encode(packument(), "key");
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int bit : {0x01, 0x80, 0xff}) {
      std::string bad = whole;
      bad[i] = static_cast<char>(bad[i] ^ bit);
      EXPECT_FALSE(decode(bad)) << i;
    }
}

TEST(EntryFormat, RefusesEveryTruncationAndWhatFollows) {
  const std::string whole = encode(packument(), "key");
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(decode(whole.substr(0, n))) << n;
  EXPECT_FALSE(decode(whole + "x"));
  const std::string payload = whole.substr(kEntryPrefix);
  ASSERT_TRUE(decode(sealed(payload)));
  for (std::size_t n = 0; n < payload.size(); ++n)
    EXPECT_FALSE(decode(sealed(payload.substr(0, n)))) << n;
  EXPECT_FALSE(decode(sealed(payload + "x")));
}

TEST(EntryFormat, TellsAnotherVersionFromGarbage) {
  std::string whole = encode(packument(), "key");
  EXPECT_EQ(*encoded_size(whole.substr(0, kEntryPrefix)), whole.size());
  EXPECT_EQ(size_field(whole), whole.size() - kEntryPrefix);
  whole[8] = 1;
  EXPECT_EQ(decode(whole).error(), make_error_code(Errc::bad_input));
  EXPECT_EQ(decode(sealed(whole.substr(kEntryPrefix), 1)).error(), unknown_version());
  whole[0] = 'T';
  EXPECT_EQ(decode(whole).error(), make_error_code(Errc::bad_input));
}

TEST(EntryFormat, RefusesWhatWouldHarmItsReader) {
  const auto refused = [](const std::function<void(Entry&)>& harm) {
    Entry e = packument();
    harm(e);
    return !decode(encode(e, "k"));
  };
  EXPECT_TRUE(refused([](Entry& e) { e.headers.add("a", "b\r\nSet-Cookie: c"); }));
  EXPECT_TRUE(refused([](Entry& e) { e.headers.add("", "b"); }));
  EXPECT_TRUE(refused([](Entry& e) { e.forms[1].etag = "\"\n\""; }));
  EXPECT_TRUE(refused([](Entry& e) { e.forms.clear(); })) << "a response has a form";
  EXPECT_TRUE(refused([](Entry& e) { std::swap(e.digests[0], e.digests[1]); }))
      << "looked up by halving";
  EXPECT_TRUE(refused([](Entry& e) { e.times.expires = WallTime::max(); }));
  EXPECT_TRUE(refused([](Entry& e) { e.times.birth = WallTime::min(); }));
  EXPECT_TRUE(refused([](Entry& e) { e.times.stale_if_error = Duration::max(); }));
  EXPECT_TRUE(refused([](Entry& e) { e.times.cost = -1ns; }));
  EXPECT_TRUE(refused([](Entry& e) { e.status = 7; }));
  EXPECT_FALSE(refused([](Entry&) {}));
}

TEST(EntryFormat, ReservesNothingForCountsThatCannotBe) {
  Entry e;
  e.kind = Entry::Kind::vary;
  std::string payload = payload_of(e);
  payload.replace(payload.size() - 4, 4, "\xff\xff\xff\xff");
  EXPECT_FALSE(decode(sealed(payload)));
}

TEST(EntryFormat, SurvivesAnyPayload) {
  EXPECT_TRUE(rc::check("decode refuses or reads, and what it reads is written the same again", [] {
    std::string payload = payload_of(packument());
    for (int n = *rc::gen::inRange(1, 4); n > 0; --n) {
      const auto at = *rc::gen::inRange<std::size_t>(0, payload.size());
      payload[at] = *rc::gen::arbitrary<char>();
    }
    const auto got = decode(sealed(payload));
    if (!got) return;
    const auto again = decode(encode(got->entry, got->key));
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->entry.headers.size() == got->entry.headers.size());
  }));
}

TEST(EntryFormat, RoundTripsAnyResponse) {
  EXPECT_TRUE(rc::check(
      "decode(encode(x)) is x", [](const std::string& key, const std::vector<std::string>& words) {
        Entry e = packument();
        e.status = *rc::gen::inRange(100, 600);
        e.negative = *rc::gen::arbitrary<bool>();
        e.times.must_revalidate = *rc::gen::arbitrary<bool>();
        e.times.expires = WallTime(
            Duration(*rc::gen::inRange<std::int64_t>(-1'000'000'000, 4'000'000'000'000'000'000)));
        e.vary = words;
        e.digests.clear();
        for (const auto& w : words) {
          e.headers.add("x" + to_hex(w), to_hex(w));
          e.digests.push_back({w, w + w, to_hex(w), key});
        }
        std::sort(e.digests.begin(), e.digests.end(),
                  [](const auto& a, const auto& b) { return a.file < b.file; });
        e.digests.erase(std::unique(e.digests.begin(), e.digests.end(),
                                    [](const auto& a, const auto& b) { return a.file == b.file; }),
                        e.digests.end());
        const auto got = decode(encode(e, key));
        RC_ASSERT(got.has_value());
        RC_ASSERT(got->key == key);
        expect_same(got->entry, e);
        RC_ASSERT(!testing::Test::HasFailure());
      }));
}

}  // namespace
}  // namespace tanggul::cache
