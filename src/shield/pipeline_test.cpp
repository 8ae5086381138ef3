#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

TEST_F(PipelineTest, FetchesOnceAndServesAllWhoWait) {
  Answer slow = page("hello");
  slow.takes = 1s;
  origin.plays({slow});
  for (int i = 0; i < 50; ++i) send("/o/a");
  pass(2s);
  EXPECT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(origin.seen[0].target, "/base/a");
  int coalesced = 0;
  for (const Client& c : clients) {
    EXPECT_EQ(c.body, "hello");
    coalesced += c.says("X-Cache-Coalesced: true") ? 1 : 0;
  }
  EXPECT_EQ(coalesced, 49);
  EXPECT_FALSE(clients[0].says("X-Cache-Coalesced"));
  EXPECT_TRUE(send("/o/a").says("Cache-Status: tanggul; hit; ttl="));
  EXPECT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(shield_->flights().size(), 0U);
}

TEST_F(PipelineTest, TheFirstCallerLeavesAndTheFetchGoesOn) {
  Answer slow = page("hello");
  slow.takes = 1s;
  origin.plays({slow});
  Client& first = send("/o/a");
  Client& second = send("/o/a");
  first.call.waiter->close();
  settle();
  EXPECT_TRUE(first.done);
  EXPECT_FALSE(second.done);
  pass(1s);
  EXPECT_EQ(second.body, "hello");
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(PipelineTest, ACallersDeadlineEndsOnlyItsOwnWait) {
  Answer slow = page("hello");
  slow.takes = 3s;
  origin.plays({slow});
  Client& hasty = send("/o/a", {{"Prefer", "wait=1"}});
  Client& patient = send("/o/a");
  pass(1100ms);
  ASSERT_TRUE(hasty.done);
  EXPECT_TRUE(hasty.says("504"));
  EXPECT_TRUE(hasty.says("detail=deadline"));
  EXPECT_TRUE(hasty.says("Retry-After"));
  pass(2s);
  EXPECT_EQ(patient.body, "hello");
}

TEST_F(PipelineTest, AFailingOriginIsAskedThreeTimesForAllWavesTogether) {
  Answer bad = broken(503);
  bad.takes = 200ms;
  origin.plays({bad});
  for (int wave = 0; wave < 3; ++wave) {
    for (int i = 0; i < 30; ++i) send("/o/a");
    pass(2s);
  }
  EXPECT_EQ(origin.seen.size(), 3U);
  for (const Client& c : clients) {
    EXPECT_TRUE(c.says("HTTP/1.1 503"));
    EXPECT_TRUE(c.says("Retry-After: "));
    EXPECT_TRUE(c.says("application/problem+json"));
  }
  EXPECT_TRUE(clients.back().says("hit; detail=negative"));
  pass(30s);
  origin.plays({page("back")});
  EXPECT_EQ(send("/o/a").body, "back");
}

TEST_F(PipelineTest, ADoNotStoreOn503ChangesNothing) {
  origin.plays({broken(503, headers({{"Cache-Control", "no-store"}}))});
  for (int i = 0; i < 3; ++i) {
    send("/o/a");
    pass(2s);
  }
  EXPECT_EQ(origin.seen.size(), 3U);
}

TEST_F(PipelineTest, TransportFailuresAreBadGatewaysAndTimeOutsAreGatewayTimeouts) {
  const std::pair<Errc, const char*> table[] = {
      {Errc::refused, "502"},      {Errc::reset, "502"},
      {Errc::truncated, "502"},    {Errc::connect_timeout, "504"},
      {Errc::bad_response, "502"}, {Errc::first_byte_timeout, "504"}};
  for (const auto& [code, status] : table) {
    build();
    origin.seen.clear();
    origin.plays({dead(code)});
    Client& c = send("/o/a");
    pass(2s);
    EXPECT_TRUE(c.says(std::string("HTTP/1.1 ") + status)) << name(code) << c.head;
    EXPECT_EQ(origin.seen.size(), 3U) << name(code);
    EXPECT_TRUE(send("/o/a").says("detail=negative"));
    EXPECT_EQ(origin.seen.size(), 3U);
  }
}

TEST_F(PipelineTest, ADeadPooledConnectionIsNoTryWhereThereIsButOne) {
  origin_config.retry.attempts = 1;
  build();
  origin.plays({dead(Errc::stale_connection), page("ok")});
  EXPECT_EQ(send("/o/a").body, "ok");
  origin.plays({dead(Errc::stale_connection), dead(Errc::stale_connection), page("late")});
  EXPECT_TRUE(send("/o/b").says("502"));
}

TEST_F(PipelineTest, ADeadPooledConnectionIsTriedAgainAtOnceAndFresh) {
  origin.plays({dead(Errc::stale_connection), page("ok")});
  EXPECT_EQ(send("/o/a").body, "ok");
  ASSERT_EQ(origin.seen.size(), 2U);
  EXPECT_TRUE(origin.seen[1].fresh_connection);
}

TEST_F(PipelineTest, ServesStaleWhileItRevalidatesInTheBackground) {
  origin.plays({page("one", headers({{"Cache-Control", "max-age=1"}, {"ETag", "\"1\""}})),
                page("two", headers({{"Cache-Control", "max-age=1"}}))});
  send("/o/a");
  pass(3s);
  Client& stale = send("/o/a");
  EXPECT_EQ(stale.body, "one");
  EXPECT_TRUE(stale.says("detail=stale-while-revalidate"));
  ASSERT_EQ(origin.seen.size(), 2U);
  EXPECT_EQ(origin.seen[1].headers.find("if-none-match"), "\"1\"");
  EXPECT_EQ(send("/o/a").body, "two");
}

TEST_F(PipelineTest, A304KeepsTheBodyAndGivesItANewLife) {
  Answer same;
  same.status = 304;
  same.headers = headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}});
  same.framing = ports::BodyFraming::none;
  origin.plays({page("one", headers({{"Cache-Control", "max-age=1"}, {"ETag", "\"1\""}})), same});
  send("/o/a");
  pass(30s);  // past stale-while-revalidate: the caller waits for the 304
  Client& c = send("/o/a");
  EXPECT_EQ(c.body, "one");
  EXPECT_TRUE(c.says("HTTP/1.1 200"));
  EXPECT_TRUE(send("/o/a").says("; hit"));
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(PipelineTest, ServesStaleWhenTheOriginFails) {
  origin.plays({page("one", headers({{"Cache-Control", "max-age=1"}})), broken(500)});
  send("/o/a");
  pass(60s);
  Client& c = send("/o/a");
  pass(2s);
  EXPECT_EQ(c.body, "one");
  EXPECT_TRUE(c.says("detail=stale-if-error"));
  const auto asked = origin.seen.size();
  EXPECT_EQ(send("/o/a").body, "one");  // the failure is remembered beside the entry
  EXPECT_EQ(origin.seen.size(), asked);
}

TEST_F(PipelineTest, PrivateAnswersAreLetGoTogetherAndNotWaitedForAgain) {
  Answer mine = page("mine", headers({{"Cache-Control", "private"}}));
  mine.takes = 100ms;
  origin.plays({mine});
  for (int i = 0; i < 5; ++i) send("/o/a");
  pass(150ms);
  EXPECT_TRUE(clients[0].done);
  pass(100ms);
  EXPECT_EQ(origin.seen.size(), 5U);  // one for each, the followers' all at once
  for (const Client& c : clients) EXPECT_EQ(c.body, "mine");
  EXPECT_TRUE(clients[1].says("collapsed=?0"));
  EXPECT_FALSE(clients[1].says("X-Cache-Coalesced"));
  send("/o/a");
  send("/o/a");
  EXPECT_EQ(origin.seen.size(), 7U);
}

TEST_F(PipelineTest, VariantsAreKeptApartAndEachIsFetchedOnce) {
  const http::Headers h = headers({{"Cache-Control", "max-age=60"}, {"Vary", "Accept-Language"}});
  Answer english = page("hello", h), german = page("hallo", h);
  english.takes = german.takes = 100ms;
  origin.plays({english, german});
  for (int i = 0; i < 3; ++i) send("/o/a", {{"Accept-Language", "en"}});
  for (int i = 0; i < 3; ++i) send("/o/a", {{"Accept-Language", "de"}});
  pass(1s);
  EXPECT_EQ(origin.seen.size(), 2U);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(clients[static_cast<std::size_t>(i)].body, i < 3 ? "hello" : "hallo");
  EXPECT_EQ(send("/o/a", {{"Accept-Language", "de"}}).body, "hallo");
  EXPECT_EQ(send("/o/a", {{"Accept-Language", "en"}}).body, "hello");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(PipelineTest, ASharedFetchCarriesNothingThatIsOneCallersOwn) {
  origin.plays({page("x")});
  send("/o/a", {{"Cookie", "s=1"},
                {"X-Api-Key", "k"},
                {"Range", "bytes=0-1"},
                {"If-None-Match", "\"z\""},
                {"Accept", "text/plain"}});
  ASSERT_EQ(origin.seen.size(), 1U);
  for (const char* own : {"cookie", "x-api-key", "range", "if-none-match"})
    EXPECT_FALSE(origin.seen[0].headers.has(own)) << own;
  EXPECT_EQ(origin.seen[0].headers.find("accept"), "text/plain");
}

TEST_F(PipelineTest, AVaryOnSomethingWithheldBringsTheRightVariant) {
  const http::Headers h = headers({{"Cache-Control", "max-age=60"}, {"Vary", "X-Plan"}});
  origin.plays({page("free", h), page("paid", h)});
  EXPECT_EQ(send("/o/a", {{"X-Plan", "paid"}}).body, "paid");
  ASSERT_EQ(origin.seen.size(), 2U);
  EXPECT_EQ(origin.seen[1].headers.find("x-plan"), "paid");
  EXPECT_EQ(send("/o/a").body, "free");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(PipelineTest, OneClientsAuthorizationDoesNotFetchForAnother) {
  origin.plays({page("a's"), page("b's"), page("nobody's")});
  EXPECT_EQ(send("/o/a", {{"Authorization", "A"}}).body, "a's");
  EXPECT_EQ(send("/o/a", {{"Authorization", "B"}}).body, "b's");
  EXPECT_EQ(send("/o/a").body, "nobody's");
  EXPECT_EQ(origin.seen[0].headers.find("authorization"), "A");
}

TEST_F(PipelineTest, AMissThatTakesOffAfterALandingAsksNobody) {
  origin.plays({page("one")});
  send("/o/a");
  ASSERT_EQ(origin.seen.size(), 1U);
  // The miss of a second caller was decided before that landing; only now does its flight begin.
  const std::string key = std::string("o") + "\x1f" + "/a";
  auto joined = shield_->flights().join(key, "/tmp");
  ASSERT_TRUE(joined.leader);
  FetchJob job;
  job.flight = joined.flight;
  job.upstream = shield_->routes()->upstreams.front();
  job.key = job.primary = key;
  job.plan.target = "/a";
  job.what.way = registry::Classified::Way::cached;
  job.in_table = true;
  const Outside outside(origin);
  async::spawn(io.get_executor(), "late", run_fetch(*shield_, outside, std::move(job)));
  settle();
  EXPECT_EQ(origin.seen.size(), 1U);
  EXPECT_EQ(joined.flight->view().phase, cache::Flight::Phase::landed);
  EXPECT_EQ(shield_->flights().size(), 0U);
}

TEST_F(PipelineTest, TheBreakerOpensAndThenAsksNobodyButOneProbeAPeriod) {
  origin_config.retry.attempts = 1;
  build();
  origin.plays({dead(Errc::reset)});
  for (int i = 0; i < 20; ++i) send("/o/" + std::to_string(i));
  EXPECT_EQ(state().breaker_state(clock.now().mono), policy::BreakerState::open);
  const auto before = origin.seen.size();
  for (int i = 100; i < 600; ++i) {
    Client& c = send("/o/" + std::to_string(i));
    EXPECT_TRUE(c.says("503")) << c.head;
    EXPECT_TRUE(c.says("detail=breaker-open"));
    pass(20ms);
  }
  EXPECT_EQ(origin.seen.size(), before);  // 10 s, the breaker is open for 12 at least
  pass(10s);
  origin.plays({page("ok")});
  for (int i = 700; i < 703; ++i) EXPECT_EQ(send("/o/" + std::to_string(i)).body, "ok");
  EXPECT_EQ(state().breaker_state(clock.now().mono), policy::BreakerState::closed);
}

TEST_F(PipelineTest, A429RestsTheOriginUntilItsRetryAfterAndStaleIsServed) {
  Answer busy = broken(429, headers({{"Retry-After", "30"}}));
  origin.plays({page("one", headers({{"Cache-Control", "max-age=1"}})), busy, page("two")});
  send("/o/a");
  pass(20s);
  EXPECT_EQ(send("/o/a").body, "one");  // 429 and stale-if-error
  Client& other = send("/o/b");
  EXPECT_TRUE(other.says("429"));
  EXPECT_TRUE(other.says("Retry-After: 3"));
  EXPECT_EQ(origin.seen.size(), 2U);
  pass(31s);
  EXPECT_EQ(send("/o/b").body, "two");
}

TEST_F(PipelineTest, A404IsRememberedWithItsBodyForGenericOnlyAsTheRfcAllows) {
  Answer missing = broken(404);
  missing.body = "no such thing";
  origin.plays({missing});
  Client& first = send("/o/a");
  EXPECT_TRUE(first.says("HTTP/1.1 404"));
  EXPECT_EQ(first.body, "no such thing");
  Client& again = send("/o/a");
  EXPECT_EQ(again.body, "no such thing");
  EXPECT_TRUE(again.says("detail=negative"));
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(PipelineTest, ABodyCutBeforeItsHeadWentOutIsRetriedAndThenA502) {
  Answer cut = page(std::string(20'000, 'x'));
  cut.cut_at = 10'000;
  origin.plays({cut, page("whole")});
  EXPECT_TRUE([&] {
    Client& c = send("/o/a");
    pass(1s);
    return c.body == "whole";
  }());
  origin.plays({cut});
  Client& c = send("/o/b");
  pass(2s);
  EXPECT_TRUE(c.says("HTTP/1.1 502"));
}

TEST_F(PipelineTest, ALongBodyCutInTheMiddleIsNeverWholeAndNeverStored) {
  Answer cut = page(std::string(200'000, 'x'));
  cut.cut_at = 150'000;
  cut.pause_in_body = 100ms;
  origin.plays({cut});
  Client& a = send("/o/a");
  Client& b = send("/o/a");
  pass(1s);
  EXPECT_TRUE(a.done && b.done);
  EXPECT_FALSE(a.whole || b.whole);
  EXPECT_EQ(origin.seen.size(), 1U);
  EXPECT_TRUE(send("/o/a").says("detail=negative"));
}

TEST_F(PipelineTest, FollowersStreamFromTheFirstByteWhileTheBodyArrives) {
  Answer slow = page(std::string(200'000, 'x'));
  slow.pause_in_body = 10s;
  origin.plays({slow});
  Client& first = send("/o/a");
  pass(5s);
  Client& late = send("/o/a");
  EXPECT_FALSE(late.done);
  EXPECT_TRUE(late.says("X-Cache-Coalesced: true"));
  EXPECT_GT(late.body.size(), 90'000U);
  pass(6s);
  EXPECT_TRUE(first.whole && late.whole);
  EXPECT_EQ(late.body.size(), 200'000U);
}

TEST_F(PipelineTest, AnUncacheableFetchIsCancelledWhenTheLastHasLeft) {
  Answer slow = page(std::string(200'000, 'x'), headers({{"Cache-Control", "no-store"}}));
  slow.pause_in_body = 10s;
  origin.plays({slow});
  Client& c = send("/o/a");
  c.call.waiter->close();
  pass(20ms);
  EXPECT_EQ(shield_->flights().size(), 0U);
  EXPECT_EQ(shield_->tasks().running(), 0);
}

TEST_F(PipelineTest, NoCacheOfManyClientsIsOneRevalidationASecond) {
  origin.plays({page("one")});
  send("/o/a");
  for (int i = 0; i < 20; ++i) send("/o/a", {{"Cache-Control", "no-cache"}});
  EXPECT_EQ(origin.seen.size(), 1U);  // it has just been fetched
  pass(2s);
  for (int i = 0; i < 20; ++i) send("/o/a", {{"Cache-Control", "no-cache"}});
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(PipelineTest, OnlyIfCachedNeverAsks) {
  Client& c = send("/o/a", {{"Cache-Control", "only-if-cached"}});
  EXPECT_TRUE(c.says("504"));
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(PipelineTest, AClientsConditionIsAnsweredFromTheCache) {
  origin.plays({page("one", headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}))});
  EXPECT_TRUE(send("/o/a", {{"If-None-Match", "\"1\""}}).says("304"));
  Client& c = send("/o/a", {{"If-None-Match", "\"1\""}});
  EXPECT_TRUE(c.says("HTTP/1.1 304"));
  EXPECT_TRUE(c.says("ETag: \"1\""));
  EXPECT_TRUE(send("/o/a", {{"If-None-Match", "\"2\""}}).says("HTTP/1.1 200"));
}

TEST_F(PipelineTest, OtherMethodsPassUnshared) {
  origin.plays({page("posted")});
  send("/o/a", {{"Cookie", "s=1"}}, "POST");
  Client& c = send("/o/a", {{"Cookie", "s=1"}}, "POST");
  EXPECT_TRUE(c.says("fwd=method"));
  EXPECT_EQ(origin.seen.size(), 2U);
  EXPECT_EQ(origin.seen[0].headers.find("cookie"), "s=1");
  EXPECT_TRUE(origin.seen[0].fresh_connection);  // it could not be sent again
}

TEST_F(PipelineTest, AWriteOutdatesItsTargetWithEveryVariantAndNothingElse) {
  const http::Headers varying = headers({{"Cache-Control", "max-age=60"}, {"Vary", "Accept"}});
  origin.plays({page("x1", varying), page("y1", varying), page("other"), page("done"),
                page("x2", varying), page("y2", varying)});
  EXPECT_EQ(send("/o/a", {{"Accept", "x"}}).body, "x1");
  EXPECT_EQ(send("/o/a", {{"Accept", "y"}}).body, "y1");
  EXPECT_EQ(send("/o/ab").body, "other");
  send("/o/a", {}, "PUT");
  EXPECT_EQ(send("/o/a", {{"Accept", "x"}}).body, "x2");
  EXPECT_EQ(send("/o/a", {{"Accept", "y"}}).body, "y2");
  EXPECT_TRUE(send("/o/ab").says("; hit"));
  EXPECT_TRUE(send("/o/a", {{"Accept", "y"}}).says("; hit"));
}

TEST_F(PipelineTest, AWriteThatFailsOutdatesNothing) {
  origin.plays({page("a"), broken(503)});
  send("/o/a");
  Client& write = send("/o/a", {}, "POST");
  EXPECT_TRUE(write.says("HTTP/1.1 503"));
  EXPECT_TRUE(send("/o/a").says("; hit"));
}

TEST_F(PipelineTest, APublicationOutdatesThePackumentsThatAreHeldAndThoseUnderWay) {
  origin_config.kind = registry::make_npm();
  build();
  const std::string before = R"({"name":"a","versions":{}})", after = R"({"name":"a","time":{}})";
  Answer slow = page(before);
  slow.takes = 1s;
  origin.plays({page(before), slow, page("{}"), page(after), page(after)});
  const std::vector<std::pair<std::string, std::string>> brief = {
      {"Accept", "application/vnd.npm.install-v1+json"}};
  send("/o/a");
  Client& early = send("/o/a", brief);
  send("/o/a", {}, "PUT");
  Client& late = send("/o/a", brief);
  EXPECT_EQ(late.body, after);
  pass(2s);
  EXPECT_EQ(early.body, before);
  EXPECT_EQ(send("/o/a", brief).body, after);
  EXPECT_EQ(send("/o/a").body, after);
  EXPECT_EQ(origin.seen.size(), 5U);
}

TEST_F(PipelineTest, ARefusedPublicationOutdatesNothing) {
  origin_config.kind = registry::make_npm();
  build();
  origin.plays({page(R"({"name":"a","versions":{}})"), broken(403)});
  send("/o/a");
  send("/o/a", {}, "PUT");
  EXPECT_TRUE(send("/o/a").says("; hit"));
}

TEST_F(PipelineTest, AFailedPostIsPassedOnAsSentAndNeverRetried) {
  origin.plays({broken(503)});
  Client& c = send("/o/a", {}, "POST");
  EXPECT_TRUE(c.says("HTTP/1.1 503"));
  EXPECT_EQ(c.body, "oops");
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(PipelineTest, HeadIsServedFromAGetAndAskedAsHeadOtherwise) {
  origin.plays({page("", headers({{"Content-Length", "5"}, {"Cache-Control", "max-age=60"}})),
                page("hello")});
  Client& head = send("/o/a", {}, "HEAD");
  EXPECT_EQ(origin.seen.at(0).method, "HEAD");
  EXPECT_TRUE(head.says("Content-Length: 5"));
  EXPECT_EQ(send("/o/a").body, "hello");  // HEAD stored nothing in GET's place
  Client& from_get = send("/o/a", {}, "HEAD");
  EXPECT_TRUE(from_get.says("; hit"));
  EXPECT_TRUE(from_get.says("Content-Length: 5"));
  EXPECT_TRUE(from_get.body.empty());
}

TEST_F(PipelineTest, AnUnknownMountNamesTheMounts) {
  Client& c = send("/nowhere/x");
  EXPECT_TRUE(c.says("HTTP/1.1 404"));
  EXPECT_NE(c.body.find("/o/"), std::string::npos);
}

TEST_F(PipelineTest, WhatComesBackToUsIsALoop) {
  EXPECT_TRUE(send("/o/a", {{"CDN-Loop", "other, tanggul"}}).says("HTTP/1.1 508"));
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(PipelineTest, AFullQueueShedsAndTheOriginNeverSeesMoreThanItsLimit) {
  origin_config.limit.concurrency = 2;
  origin_config.limit.queue = 3;
  build();
  Answer slow = page("x");
  slow.takes = 1s;
  origin.plays({slow});
  for (int i = 0; i < 10; ++i) send("/o/" + std::to_string(i));
  EXPECT_EQ(origin.seen.size(), 2U);
  int shed = 0;
  for (const Client& c : clients) shed += c.says("detail=limit") ? 1 : 0;
  EXPECT_EQ(shed, 5);
  EXPECT_EQ(limit_refusals(), 5U);
  pass(3s);
  EXPECT_EQ(origin.seen.size(), 5U);
  EXPECT_EQ(state().limit().running(), 0);
}

TEST_F(PipelineTest, AFlightThatThrowsFreesItsKeyAndReachesEveryWaiter) {
  struct Throws final : ports::Origin {
    Task<ports::FetchEnd> fetch(const ports::OriginRequest&, ports::ResponseSink&,
                                ports::Cancellation&) override {
      throw std::runtime_error("on purpose");
      co_return ports::FetchEnd{};
    }
  } throws;
  pipeline_ = std::make_unique<Pipeline>(*shield_, throws, io.get_executor());
  Client& c = send("/o/a");
  EXPECT_TRUE(c.says("HTTP/1.1 500"));
  EXPECT_EQ(shield_->flights().size(), 0U);
}

}  // namespace
}  // namespace tanggul::shield
