// RFC 9111 where it is more than freshness: what goes to the origin, what writes and HEAD change,
// what a 304 brings, targeted fields, interim responses.
#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

class RfcTest : public PipelineTest {
 protected:
  // As the configuration has it where every lifetime of ours is off.
  void be_plain() {
    origin_config.freshness = {0s, 0s, 0s, 0s, 0s, false, false};
    origin_config.all_request_headers = true;
    origin_config.negative.server_error = 0s;
    origin_config.retry.attempts = 1;
    build();
  }
};

TEST_F(RfcTest, APlainCacheForwardsWhatItDoesNotKnow) {
  be_plain();
  origin.plays({page("x")});
  send("/o/a", {{"Foo", "1"}, {"X-Request-Id", "7"}});
  EXPECT_EQ(origin.seen[0].headers.find("foo"), "1");
  EXPECT_EQ(origin.seen[0].headers.find("x-request-id"), "7");
  EXPECT_EQ(send("/o/a", {{"Foo", "2"}}).body, "x");
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(RfcTest, ButNotWhatTellsOneCallerFromAnother) {
  be_plain();
  origin.plays({page("x")});
  send("/o/a", {{"Cookie", "s=1"},
                {"X-Api-Key", "k"},
                {"PRIVATE-TOKEN", "t"},
                {"X-Forwarded-Host", "evil"},
                {"X-Original-URL", "/admin"},
                {"Range", "bytes=0-1"},
                {"If-None-Match", "\"z\""},
                {"Connection", "Foo"},
                {"Cache-Control", "max-stale"}});
  for (const char* own : {"cookie", "x-api-key", "private-token", "x-forwarded-host", "range",
                          "x-original-url", "if-none-match", "connection", "cache-control"})
    EXPECT_FALSE(origin.seen[0].headers.has(own)) << own;
}

TEST_F(RfcTest, WhatTheOriginGivesNoLifetimeIsSharedWithThoseWhoAskedAlike) {
  be_plain();
  Answer slow = page("x", {});
  slow.takes = 1s;
  origin.plays({slow});
  send("/o/a", {{"Foo", "1"}});
  send("/o/a", {{"Foo", "1"}});
  Client& other = send("/o/a", {{"Foo", "2"}});
  pass(3s);
  EXPECT_TRUE(clients[1].says("collapsed\r\n")) << clients[1].head;
  EXPECT_TRUE(other.says("collapsed=?0")) << other.head;
  ASSERT_EQ(origin.seen.size(), 2U);
  EXPECT_EQ(origin.seen[1].headers.find("foo"), "2");
}

TEST_F(RfcTest, AFailureThatMayBeKeptIsNotTriedAgain) {
  origin.plays({broken(503, headers({{"Cache-Control", "max-age=30"}})), page("x")});
  Client& c = send("/o/a");
  EXPECT_TRUE(c.done && c.says("HTTP/1.1 503"));
  EXPECT_EQ(c.body, "oops");
  EXPECT_TRUE(send("/o/a").says("hit"));
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(RfcTest, AWriteOutdatesWhatItsAnswerNames) {
  Answer written = page("done", headers({{"Location", "/o/made"}, {"Content-Location", "seen"}}));
  written.status = 201;
  for (const char* target : {"/base/dir/made", "/base/dir/seen", "/base/made", "/base/dir/seen2"})
    origin.at_target[target] = page("old");
  origin.at_target["/base/dir/a"] = written;
  for (const char* target : {"/o/made", "/o/dir/seen", "/o/dir/seen2"}) send(target);
  send("/o/dir/a", {}, "POST");
  const auto asked = origin.seen.size();
  send("/o/made");
  send("/o/dir/seen");
  EXPECT_EQ(origin.seen.size(), asked + 2);
  send("/o/dir/seen2");
  EXPECT_EQ(origin.seen.size(), asked + 2);
}

TEST_F(RfcTest, AFailedWriteOutdatesNothing) {
  origin.plays({page("old"), broken(500)});
  send("/o/a");
  send("/o/a", {}, "POST");
  EXPECT_TRUE(send("/o/a").says("; hit"));
}

TEST_F(RfcTest, AHeadFreshensWhatItAgreesWith) {
  origin_config.freshness.stale_while_revalidate = 0s;
  build();
  Answer head = page("", headers({{"Cache-Control", "max-age=600"},
                                  {"ETag", "\"1\""},
                                  {"Content-Length", "3"},
                                  {"New", "yes"}}));
  origin.plays({page("old", headers({{"Cache-Control", "max-age=1"}, {"ETag", "\"1\""}})), head});
  send("/o/a");
  pass(2s);
  EXPECT_TRUE(send("/o/a", {}, "HEAD").says("New: yes"));
  Client& c = send("/o/a");
  EXPECT_TRUE(c.says("; hit") && c.says("New: yes")) << c.head;
  EXPECT_EQ(c.body, "old");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(RfcTest, AHeadOutdatesWhatItContradicts) {
  origin_config.freshness.stale_while_revalidate = 0s;
  build();
  Answer head = page("", headers({{"Cache-Control", "max-age=600"}, {"Content-Length", "4"}}));
  origin.plays({page("old", headers({{"Cache-Control", "max-age=60"}})), head, page("anew")});
  send("/o/a");
  pass(2s);
  send("/o/a", {{"Cache-Control", "no-cache"}}, "HEAD");
  EXPECT_EQ(send("/o/a").body, "anew");
}

TEST_F(RfcTest, A304LeavesAloneWhatDescribesTheBytes) {
  Answer same;
  same.status = 304;
  same.framing = ports::BodyFraming::none;
  same.headers = headers({{"Cache-Control", "max-age=60"},
                          {"ETag", "\"other\""},
                          {"Content-Encoding", "br"},
                          {"Content-Length", "99"},
                          {"Content-Range", "bytes 0-1/9"},
                          {"Vary", "Accept"},
                          {"Content-Type", "text/html"}});
  origin.plays({page("old", headers({{"Cache-Control", "max-age=1"},
                                     {"ETag", "\"1\""},
                                     {"Vary", "Accept, Accept-Language"},
                                     {"Content-Type", "text/plain"}})),
                same});
  send("/o/a");
  pass(20s);
  Client& c = send("/o/a");
  EXPECT_EQ(origin.seen[1].headers.find("if-none-match"), "\"1\"");
  EXPECT_TRUE(c.says("ETag: \"1\"") && c.says("Vary: Accept, Accept-Language")) << c.head;
  EXPECT_TRUE(c.says("Content-Type: text/html") && c.says("Content-Length: 3"));
  EXPECT_FALSE(c.says("Content-Encoding") || c.says("Content-Range"));
}

TEST_F(RfcTest, ATargetedFieldStandsForCacheControl) {
  origin_config.targeted = {"CDN-Cache-Control"};
  build();
  origin.plays(
      {page("x", headers({{"Cache-Control", "no-store"}, {"CDN-Cache-Control", "max-age=60"}})),
       page("y", headers({{"Cache-Control", "max-age=60"}, {"CDN-Cache-Control", "no-store"}})),
       page("z", headers({{"Cache-Control", "max-age=60"}, {"CDN-Cache-Control", "&"}}))});
  send("/o/kept");
  EXPECT_TRUE(send("/o/kept").says("; hit"));
  EXPECT_EQ(send("/o/not").body, "y");
  EXPECT_EQ(send("/o/not").body, "z");  // that one does not parse, so Cache-Control counts
}

TEST_F(RfcTest, AnUntargetedCacheLooksAtCacheControlOnly) {
  origin.plays(
      {page("x", headers({{"Cache-Control", "max-age=60"}, {"CDN-Cache-Control", "no-store"}}))});
  send("/o/a");
  EXPECT_TRUE(send("/o/a").says("; hit"));
}

TEST_F(RfcTest, InterimResponsesGoToTheRequestThatStartedTheFetch) {
  Answer slow = page("x");
  slow.takes = 1s;
  slow.interims = {{102, "", {}},
                   {103, "", headers({{"Link", "</a.css>"}, {"Connection", "close"}})}};
  origin.plays({slow});
  send("/o/a");
  send("/o/a");
  EXPECT_EQ(clients[0].interim,
            "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n");
  EXPECT_FALSE(clients[0].done);
  pass(2s);
  EXPECT_EQ(clients[0].body, "x");
  EXPECT_FALSE(clients[0].says("Link"));
  Client& hit = send("/o/a");
  EXPECT_EQ(clients[1].interim + hit.interim, "");
  EXPECT_FALSE(hit.says("Link"));
}

TEST_F(RfcTest, InterimResponsesThatComeWithTheAnswerGoOutBeforeIt) {
  Answer at_once = page("x", headers({{"Cache-Control", "no-store"}}));
  at_once.interims = {{103, "", headers({{"Link", "</a.css>"}})}};
  origin.plays({at_once});
  EXPECT_NE(send("/o/a").interim, "");
  EXPECT_NE(send("/o/a", {}, "POST").interim, "");
}

TEST_F(RfcTest, AnOriginCannotFloodWithInterimResponses) {
  Answer flood = page("x");
  flood.interims.assign(1000, {102, "", {}});
  origin.plays({flood});
  EXPECT_LE(send("/o/a").interim.size(), 16 * 30U);
}

TEST_F(RfcTest, AConditionIsMetWhileTheBodyStreams) {
  Answer large = page(std::string(200'000, 'a'),
                      headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  large.pause_in_body = 10s;
  origin.plays({large});
  Client& same = send("/o/a", {{"If-None-Match", "\"1\""}});
  EXPECT_TRUE(same.done && same.says("HTTP/1.1 304")) << same.head;
  EXPECT_TRUE(send("/o/a", {{"If-Match", "\"2\""}}).says("HTTP/1.1 412"));
}

}  // namespace
}  // namespace tanggul::shield
