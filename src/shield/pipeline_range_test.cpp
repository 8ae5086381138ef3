// Ranges: of what is held, of what is on its way, and of what is too large to be fetched for one.
#include "shield/parts.h"
#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

class RangeTest : public PipelineTest {
 protected:
  Client& range(const char* value, std::vector<std::pair<std::string, std::string>> more = {},
                const char* target = "/o/a") {
    more.emplace_back("Range", value);
    return send(target, std::move(more));
  }
  static http::Headers fresh(std::initializer_list<std::pair<const char*, const char*>> more = {}) {
    http::Headers h = headers(more);
    h.add("Cache-Control", "max-age=60");
    return h;
  }
  static Answer part(std::string body, const char* content_range,
                     std::initializer_list<std::pair<const char*, const char*>> more = {}) {
    Answer a = page(std::move(body), fresh(more));
    a.status = 206;
    a.headers.add("Content-Range", content_range);
    return a;
  }
  // What is over 100 bytes is too large to be fetched for a range.
  void pass_ranges_over_100() {
    origin_config.range_passthrough = 100;
    build();
  }
};

TEST_F(RangeTest, IsServedFromWhatIsHeld) {
  origin.plays({page("0123456789", fresh({{"ETag", "\"1\""}, {"Content-Type", "text/plain"}}))});
  send("/o/a");
  Client& first = range("bytes=0-1");
  EXPECT_TRUE(first.says("HTTP/1.1 206 Partial Content\r\n")) << first.head;
  EXPECT_TRUE(first.says("Content-Range: bytes 0-1/10\r\n"));
  EXPECT_TRUE(first.says("Content-Length: 2\r\n"));
  EXPECT_TRUE(first.says("ETag: \"1\"\r\n") && first.says("Content-Type: text/plain\r\n"));
  EXPECT_TRUE(first.says("Cache-Status: tanggul; hit"));
  EXPECT_EQ(first.body, "01");
  EXPECT_EQ(range("bytes=7-").body, "789");
  EXPECT_EQ(range("bytes=-2").body, "89");
  EXPECT_EQ(range("bytes=5-99").body, "56789");
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(RangeTest, BeyondTheEndIs416) {
  origin.plays({page("0123456789")});
  send("/o/a");
  Client& c = range("bytes=10-");
  EXPECT_TRUE(c.says("HTTP/1.1 416")) << c.head;
  EXPECT_TRUE(c.says("Content-Range: bytes */10\r\n"));
  EXPECT_EQ(c.body, "");
}

TEST_F(RangeTest, WhatIsNoRangeBringsTheWhole) {
  origin.plays({page("0123456789")});
  send("/o/a");
  for (const char* value : {"lines=0-1", "bytes=5-2", "bytes=x"}) {
    Client& c = range(value);
    EXPECT_TRUE(c.says("HTTP/1.1 200")) << value;
    EXPECT_EQ(c.body, "0123456789");
  }
  Client& head = send("/o/a", {{"Range", "bytes=0-1"}}, "HEAD");
  EXPECT_TRUE(head.says("HTTP/1.1 200") && head.says("Content-Length: 10"));
}

TEST_F(RangeTest, OnlyA200HasRanges) {
  Answer gone = page("0123456789");
  gone.status = 404;
  origin.plays({gone});
  send("/o/a");
  EXPECT_TRUE(range("bytes=0-1").says("HTTP/1.1 404"));
}

TEST_F(RangeTest, SeveralGoOutInParts) {
  origin.plays({page("0123456789", fresh({{"Content-Type", "text/plain"}}))});
  send("/o/a");
  Client& c = range("bytes=8-, 0-1");
  EXPECT_TRUE(c.says("HTTP/1.1 206"));
  const auto at = c.head.find("boundary=");
  ASSERT_NE(at, std::string::npos) << c.head;
  const std::string mark = c.head.substr(at + 9, c.head.find("\r\n", at) - at - 9);
  EXPECT_EQ(c.body,
            "\r\n--" + mark +
                "\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n--" +
                mark +
                "\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--" +
                mark + "--\r\n");
  EXPECT_TRUE(c.says("Content-Length: " + std::to_string(c.body.size())));
  EXPECT_FALSE(c.says("Content-Type: text/plain"));
}

// A stored body in a file, behind other bytes, as the disk tier has them.
cache::EntryPtr in_a_file(const std::string& body) {
  auto file = cache::File::create(std::filesystem::temp_directory_path().string());
  if (!file || !(*file)->append("some head" + body)) return nullptr;
  auto entry = std::make_shared<cache::Entry>();
  entry->status = 200;
  cache::Form form;
  form.body = cache::FileBody{*file, body.size(), 9};
  entry->forms.push_back(std::move(form));
  entry->times.expires = entry->times.birth = wall_now();
  entry->times.expires += 1h;
  cache::encode_heads(*entry);
  return entry;
}

Task<void> read_all(ports::Reply& reply, async::WaiterPtr waiter, std::string& body) {
  for (;;) {
    const auto piece = co_await reply.stream->next(waiter);
    if (!piece || piece->size == 0) co_return;
    body += bytes_of(*piece);
  }
}

TEST_F(RangeTest, OfAFileComesFromItsPlaceInIt) {
  std::string content(1'000'000, 'a');
  content.replace(999'990, 10, "0123456789");
  const cache::EntryPtr entry = in_a_file(content);
  ASSERT_TRUE(entry);
  const auto ask = [&](const char* value) {
    ports::Call call;
    call.head.method = "GET";
    call.head.headers = {{"Range", value}};
    ports::Reply reply;
    deliver_entry(call, reply, entry, {}, wall_now());
    std::string body;
    if (reply.stream)
      async::spawn(io.get_executor(), "read",
                   read_all(reply, async::Waiter::make(io.get_executor()), body));
    settle();
    EXPECT_EQ(reply.status, 206);
    EXPECT_EQ(reply.length, body.size());
    return body;
  };
  EXPECT_EQ(ask("bytes=999992-999994"), "234");
  EXPECT_EQ(ask("bytes=300000-"), content.substr(300'000));
  const std::string parts = ask("bytes=0-2,-1");
  EXPECT_NE(parts.find("\r\n\r\naaa\r\n"), std::string::npos);
  EXPECT_NE(parts.find("\r\n\r\n9\r\n"), std::string::npos);
}

TEST(Parts, AreReadBackFromTheirFileIfMemoryMayHaveThem) {
  const cache::EntryPtr filed = in_a_file("0123456789");
  ASSERT_TRUE(filed);
  cache::Entry entry = *filed;
  take_into_memory(entry, 9);
  EXPECT_TRUE(entry.in_file());
  take_into_memory(entry, 10);
  ASSERT_FALSE(entry.in_file());
  EXPECT_EQ(*std::get<SharedBytes>(entry.forms.front().body), "0123456789");
}

TEST_F(RangeTest, GoesOnOnlyIfItIsStillTheSame) {
  origin.plays({page("0123456789", fresh({{"ETag", "\"1\""}}))});
  send("/o/a");
  EXPECT_TRUE(range("bytes=0-1", {{"If-Range", "\"1\""}}).says("206"));
  EXPECT_TRUE(range("bytes=0-1", {{"If-Range", "\"2\""}}).says("HTTP/1.1 200"));
  EXPECT_TRUE(range("bytes=0-1", {{"If-Range", "W/\"1\""}}).says("HTTP/1.1 200"));
  EXPECT_TRUE(range("bytes=0-1", {{"If-None-Match", "\"1\""}}).says("HTTP/1.1 304"));
  EXPECT_TRUE(range("bytes=0-1", {{"If-Match", "\"2\""}}).says("HTTP/1.1 412"));
}

TEST_F(RangeTest, AMissFetchesTheWholeOnce) {
  Answer slow = page("0123456789");
  slow.takes = 1s;
  origin.plays({slow});
  range("bytes=2-3");
  send("/o/a");
  pass(2s);
  ASSERT_EQ(origin.seen.size(), 1U);
  EXPECT_FALSE(origin.seen[0].headers.has("range"));
  EXPECT_EQ(clients[0].body, "23");
  EXPECT_TRUE(clients[0].says("HTTP/1.1 206"));
  EXPECT_EQ(clients[1].body, "0123456789");
}

TEST_F(RangeTest, IsThereBeforeTheWholeIs) {
  Answer large = page(std::string(100'000, 'a') + std::string(100'000, 'b'));
  large.pause_in_body = 10s;
  origin.plays({large});
  send("/o/a");
  Client& early = range("bytes=99980-99989");
  EXPECT_TRUE(early.done);
  EXPECT_TRUE(early.says("Content-Range: bytes 99980-99989/200000")) << early.head;
  EXPECT_EQ(early.body, "aaaaaaaaaa");
  Client& late = range("bytes=-5");
  EXPECT_FALSE(late.done);
  EXPECT_TRUE(range("bytes=200000-").says("HTTP/1.1 416"));
  pass(11s);
  EXPECT_EQ(late.body, "bbbbb");
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(RangeTest, OfATruncatedBodyIsCut) {
  Answer broken = page(std::string(200'000, 'a'));
  broken.cut_at = 100'000;
  broken.pause_in_body = 1s;
  origin.plays({broken});
  Client& c = range("bytes=150000-150009");
  pass(2s);
  EXPECT_TRUE(c.done);
  EXPECT_FALSE(c.whole);
}

TEST_F(RangeTest, OfSomethingTooLargeIsPassedOnAndTheSizeRemembered) {
  pass_ranges_over_100();
  const Answer whole = page(std::string(200, 'x'));
  origin.plays({whole, part("0123456789", "bytes 0-9/200"), part("ab", "bytes 100-101/200")});
  EXPECT_EQ(range("bytes=0-9").body, "0123456789");
  ASSERT_EQ(origin.seen.size(), 2U);
  EXPECT_FALSE(origin.seen[0].headers.has("range"));
  EXPECT_EQ(origin.seen[1].headers.find("range"), "bytes=0-9");
  Client& other = range("bytes=100-101");
  EXPECT_EQ(other.body, "ab");
  EXPECT_TRUE(other.says("Content-Range: bytes 100-101/200"));
  EXPECT_EQ(origin.seen.size(), 3U);  // the whole was not tried again
  EXPECT_EQ(state().breaker_state(clock.now().mono), policy::BreakerState::closed);
  pass(61min);
  origin.plays({whole, part("ab", "bytes 100-101/200")});
  range("bytes=100-101");
  EXPECT_EQ(origin.seen.size(), 5U);  // after an hour it may have become small
}

TEST_F(RangeTest, OfSomethingTooLargeDoesNotBreakWhoWantsTheWhole) {
  pass_ranges_over_100();
  Answer whole = page(std::string(200, 'x'));
  whole.takes = 1s;
  origin.plays({whole});
  range("bytes=0-1");
  Client& all = send("/o/a");
  pass(5s);
  EXPECT_EQ(all.body, std::string(200, 'x'));
  EXPECT_TRUE(all.whole && clients[0].done);
  EXPECT_EQ(clients[0].body, "xx");  // an origin that ignores Range: cut from its whole
}

TEST_F(RangeTest, APartServesWhatItHolds) {
  pass_ranges_over_100();
  origin.plays({page(std::string(200, 'x')), part("0123456789", "bytes 10-19/200")});
  range("bytes=10-19");
  EXPECT_EQ(range("bytes=12-14").body, "234");
  Client& two = range("bytes=10-10,19-19");
  EXPECT_NE(two.body.find("Content-Range: bytes 19-19/200"), std::string::npos);
  EXPECT_TRUE(range("bytes=200-").says("HTTP/1.1 416"));
  EXPECT_EQ(origin.seen.size(), 2U);
  origin.plays({part("9x", "bytes 19-20/200")});
  EXPECT_EQ(range("bytes=19-20").body, "9x");  // not all of it
  EXPECT_EQ(origin.seen.size(), 3U);
  EXPECT_FALSE(send("/o/a", {{"Cache-Control", "only-if-cached"}}).says("HTTP/1.1 2"));
}

TEST_F(RangeTest, APartGrowsOld) {
  pass_ranges_over_100();
  origin.plays(
      {page(std::string(200, 'x')), part("01", "bytes 0-1/200"), part("ab", "bytes 0-1/200")});
  EXPECT_EQ(range("bytes=0-1").body, "01");
  pass(61s);
  EXPECT_EQ(range("bytes=0-1").body, "ab");
}

TEST_F(RangeTest, PartsOfTheSameBecomeTheWhole) {
  pass_ranges_over_100();
  const std::string front(150, 'f'), back(60, 'b');
  origin.plays({page(std::string(200, 'x')), part(front, "bytes 0-149/200", {{"ETag", "\"1\""}}),
                part(back, "bytes 140-199/200", {{"ETag", "\"1\""}, {"New", "yes"}})});
  range("bytes=0-149");
  range("bytes=140-199");
  const auto asked = origin.seen.size();
  Client& whole = send("/o/a");
  EXPECT_EQ(whole.body, front.substr(0, 140) + back);
  EXPECT_TRUE(whole.says("HTTP/1.1 200") && whole.says("Content-Length: 200"));
  EXPECT_TRUE(whole.says("New: yes") && !whole.says("Content-Range"));
  EXPECT_EQ(origin.seen.size(), asked);
}

TEST_F(RangeTest, PartsAreCombinedOnlyWhenProvenToBelongTogether) {
  pass_ranges_over_100();
  const std::string front(150, 'f'), back(50, 'b');
  const Answer whole = page(std::string(200, 'x'));
  struct {
    const char *one, *other, *range;
  } cases[] = {{"\"1\"", "\"2\"", "bytes 150-199/200"},      // another version
               {"W/\"1\"", "W/\"1\"", "bytes 150-199/200"},  // a weak tag
               {"\"1\"", "\"1\"", "bytes 150-199/201"},      // another length
               {"\"1\"", "\"1\"", "bytes 160-199/200"}};     // contradicts its own length
  int n = 0;
  for (const auto& c : cases) {
    const std::string target = "/o/" + std::to_string(n++);
    origin.plays({whole, part(front, "bytes 0-149/200", {{"ETag", c.one}}),
                  part(back, c.range, {{"ETag", c.other}}), page("anew")});
    range("bytes=0-149", {}, target.c_str());
    range("bytes=150-199", {}, target.c_str());
    EXPECT_EQ(send(target).body, "anew") << c.range << c.other;
  }
}

TEST_F(RangeTest, APartWithAGapTakesThePlaceOfTheOther) {
  pass_ranges_over_100();
  origin.plays({page(std::string(200, 'x')), part("01", "bytes 0-1/200", {{"ETag", "\"1\""}}),
                part("89", "bytes 8-9/200", {{"ETag", "\"1\""}})});
  range("bytes=0-1");
  range("bytes=8-9");
  EXPECT_EQ(range("bytes=9-9").body, "9");
  EXPECT_EQ(origin.seen.size(), 3U);
}

TEST_F(RangeTest, AWriteForgetsThePart) {
  pass_ranges_over_100();
  origin.plays({page(std::string(200, 'x')), part("01", "bytes 0-1/200"), page("done"),
                part("ab", "bytes 0-1/200")});
  range("bytes=0-1");
  send("/o/a", {}, "PUT");
  EXPECT_EQ(range("bytes=0-1").body, "ab");
}

TEST_F(RangeTest, APrivatePartIsNotKept) {
  pass_ranges_over_100();
  Answer mine = part("01", "bytes 0-1/200");
  mine.headers.set("Cache-Control", "private");
  origin.plays({page(std::string(200, 'x')), mine, part("ab", "bytes 0-1/200")});
  range("bytes=0-1");
  EXPECT_EQ(range("bytes=0-1").body, "ab");
}

}  // namespace
}  // namespace tanggul::shield
