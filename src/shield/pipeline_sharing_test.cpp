// Who may have whose answer, and what one client can do to another.
#include "base/bytes.h"
#include "base/digest.h"
#include "registry/npm.h"
#include "shield/pipeline_for_test.h"

namespace tanggul::shield {
namespace {

class NpmPipelineTest : public PipelineTest {
 protected:
  NpmPipelineTest() {
    origin_config.kind = registry::make_npm();
    build();
  }
  // Fetches the document that names the tarball's digest, so that it is known from here on.
  void know_tarball(const std::string& body) {
    const std::string sha1 = to_hex(Digest::of(DigestKind::sha1, body));
    origin.plays({page(R"({"versions":{"1.0.0":{"dist":{"shasum":")" + sha1 +
                       R"(","tarball":"http://origin.test/base/a/-/a-1.0.0.tgz"}}}})")});
    send("/o/a");
    origin.seen.clear();
  }
};

const char* const kTarball = "/o/a/-/a-1.0.0.tgz";

TEST_F(NpmPipelineTest, ATarballIsCheckedAgainstItsDocument) {
  know_tarball("right");
  origin.plays({page("wrong")});
  EXPECT_TRUE(send(kTarball).says("HTTP/1.1 502"));
  pass(35s);  // past its memory, jitter included
  origin.plays({page("right")});
  EXPECT_EQ(send(kTarball).body, "right");
}

TEST_F(NpmPipelineTest, AnErrorPageInATarballsPlaceHasNoDigest) {
  know_tarball("right");
  origin.plays({broken(404)});
  EXPECT_TRUE(send(kTarball).says("HTTP/1.1 404"));
  pass(61s);
  origin.plays({broken(503), page("right")});
  Client& c = send(kTarball);
  pass(1s);
  EXPECT_EQ(c.body, "right");  // tried again, as any 503
  EXPECT_EQ(state().breaker_state(clock.now().mono), policy::BreakerState::closed);
}

TEST_F(NpmPipelineTest, ABusyOriginRestsAlsoWhenATarballWasAskedFor) {
  know_tarball("right");
  origin.plays({broken(429, headers({{"Retry-After", "60"}}))});
  EXPECT_TRUE(send(kTarball).says("HTTP/1.1 429"));
  EXPECT_TRUE(state().paused_until("", clock.now().mono).has_value());
}

TEST_F(NpmPipelineTest, AHeadDoesNotTakeATarballAwayFromEverybody) {
  know_tarball("right");
  origin.plays({page("", headers({{"Content-Length", "5"}})), page("right")});
  EXPECT_TRUE(send(kTarball, {}, "HEAD").says("HTTP/1.1 200"));
  EXPECT_EQ(send(kTarball).body, "right");
}

TEST_F(NpmPipelineTest, ARegistrysCookieReachesNobodyThroughAStream) {
  Answer large = page(std::string(200'000, 'x'), headers({{"Set-Cookie", "session=secret"}}));
  large.pause_in_body = 1s;
  origin.plays({large});
  Client& first = send("/o/b/-/b-1.0.0.tgz");
  Client& second = send("/o/b/-/b-1.0.0.tgz");
  pass(2s);
  EXPECT_TRUE(first.whole && second.whole);
  EXPECT_FALSE(first.says("Set-Cookie") || second.says("Set-Cookie"));
}

TEST_F(NpmPipelineTest, A429ToALoginDoesNotPauseReaders) {
  origin.plays({broken(429, headers({{"Retry-After", "3600"}}))});
  EXPECT_TRUE(send("/o/-/user/x", {{"Authorization", "Bearer bad"}}, "PUT").says("429"));
  EXPECT_TRUE(send("/o/-/v1/login", {}, "POST").says("429"));
  origin.plays({page("{}")});
  EXPECT_TRUE(send("/o/a").says("HTTP/1.1 200"));
}

TEST_F(NpmPipelineTest, InventedHostsDoNotShutRealOnesOutForGood) {
  const auto ask = [&](const std::string& host) -> Client& {
    authority = host;
    return send("/o/a");
  };
  origin.plays(
      {page(R"({"versions":{"1.0.0":{"dist":{"tarball":"http://origin.test/base/a/-/a.tgz"}}}})")});
  for (int i = 0; i < 16; ++i) ask("invented-" + std::to_string(i));
  pass(61s);
  EXPECT_NE(ask("real.example").body.find("http://real.example/o/a/-/a.tgz"), std::string::npos);
}

TEST_F(PipelineTest, AGetNeverJoinsTheFlightOfAHead) {
  const http::Headers h = headers({{"Cache-Control", "max-age=60"}, {"Vary", "Accept-Language"}});
  Answer slow = page("body", h);
  slow.takes = 100ms;
  origin.plays({slow});
  for (const char* method : {"HEAD", "GET"})
    for (const char* language : {"en", "de"}) send("/o/a", {{"Accept-Language", language}}, method);
  pass(2s);
  for (const Client& c : clients) EXPECT_EQ(c.body, c.method == "GET" ? "body" : "") << c.method;
}

TEST_F(PipelineTest, OneClientsFailureIsNotEverybodys) {
  origin_config.retry.attempts = 1;
  build();
  origin.plays({broken(500), page("fine")});
  EXPECT_TRUE(send("/o/a", {{"Cache-Control", "no-store"}, {"X-Break", "1"}}).says("500"));
  EXPECT_EQ(send("/o/a").body, "fine");
  origin.plays({broken(501), page("fine")});
  EXPECT_TRUE(send("/o/b", {}, "HEAD").says("501"));
  EXPECT_EQ(send("/o/b").body, "fine");
  origin.plays({broken(500), page("fine")});
  EXPECT_TRUE(send("/o/c", {{"Authorization", "A"}}).says("500"));
  EXPECT_EQ(send("/o/c").body, "fine");
}

TEST_F(PipelineTest, TheLeadersPatienceIsNotTheFlights) {
  Answer bad = broken(503);
  bad.takes = 10ms;
  origin.plays({bad, page("fine")});
  send("/o/a", {{"Prefer", "wait=0"}});
  Client& patient = send("/o/a");
  pass(2s);
  EXPECT_EQ(patient.body, "fine");
}

TEST_F(PipelineTest, EventStreamsPassAtOnce) {
  for (const auto& h :
       {http::Headers(), headers({{"Cache-Control", "no-cache"}}),
        headers({{"Cache-Control", "max-age=60"}, {"Content-Type", "text/event-stream"}})}) {
    Answer events = page("data: 1\n\ndata: 2\n\n", h);
    events.framing = ports::BodyFraming::chunked;
    events.pause_in_body = 10s;
    origin.plays({events});
    Client& c = send("/o/events" + std::to_string(clients.size()));
    EXPECT_EQ(c.body, "data: 1\n\n");
    pass(11s);
    EXPECT_EQ(c.body.size(), 18U);
  }
}

TEST_F(PipelineTest, StoredIsSaidOfWhatIsStored) {
  origin.plays({page("x", headers({{"Cache-Control", "private, max-age=60"}})), page("y")});
  EXPECT_FALSE(send("/o/a").says("; stored"));
  EXPECT_TRUE(send("/o/b").says("; stored"));
}

TEST_F(PipelineTest, AHeads404IsRememberedForHeads) {
  origin.plays({broken(404)});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(send("/o/a", {}, "HEAD").says("HTTP/1.1 404"));
  EXPECT_EQ(origin.seen.size(), 1U);
  origin.plays({page("new")});
  EXPECT_EQ(send("/o/a").body, "new");
}

TEST_F(PipelineTest, AHeadThatFindsAnOldEntryRenewsItByAGet) {
  origin.plays({page("one", headers({{"Cache-Control", "max-age=1"}})), page("two")});
  send("/o/a");
  pass(2s);
  EXPECT_TRUE(send("/o/a", {}, "HEAD").says("stale-while-revalidate"));
  EXPECT_EQ(origin.seen.at(1).method, "GET");
  EXPECT_EQ(send("/o/a").body, "two");
}

TEST_F(PipelineTest, AVaryOnHostSelectsNothingAndTheClientsHostStaysHere) {
  origin.plays({page("x", headers({{"Cache-Control", "max-age=60"}, {"Vary", "Host"}}))});
  send("/o/a", {{"Host", "one"}});
  EXPECT_TRUE(send("/o/a", {{"Host", "two"}}).says("; hit"));
  for (const auto& r : origin.seen) EXPECT_FALSE(r.headers.has("host"));
}

TEST_F(PipelineTest, BodilessAnswersThatArePassedOnStayBodiless) {
  Answer empty;
  empty.status = 204;
  empty.framing = ports::BodyFraming::none;
  origin.plays({empty});
  Client& c = send("/o/a", {}, "DELETE");
  EXPECT_TRUE(c.says("HTTP/1.1 204"));
  EXPECT_TRUE(c.bodiless);
}

TEST_F(PipelineTest, APathMayNotClimbOutOfTheUpstreamsOwn) {
  origin.plays({page("x")});
  for (const char* out :
       {"/o/../x", "/o/a/../../x", "/o/%2e%2E/x", "/o/a%2f..%2f..%2fx", "/o/.%2e\\x"})
    EXPECT_TRUE(send(out).says("HTTP/1.1 400")) << out;
  EXPECT_TRUE(origin.seen.empty());
  for (const char* within : {"/o/a/../x", "/o/a..b", "/o/...", "/o/.", "/o//", "/o/?q=/../.."})
    EXPECT_TRUE(send(within).says("HTTP/1.1 200")) << within;
}

TEST_F(PipelineTest, WhoIsRefusedUsesUpNeitherTheDayNorTheRate) {
  origin_config.limit.rate = 1;
  origin_config.limit.burst = 1;
  origin_config.limit.daily = 20;
  origin_config.limit.queue_wait = 3s;
  build();
  origin.plays({page("x")});
  for (int i = 0; i < 40; ++i) send("/o/" + std::to_string(i));
  pass(5s);
  EXPECT_EQ(origin.seen.size(), 4U);  // the burst, then one a second for as long as anyone waits
  Client& late = send("/o/late");
  pass(2s);
  EXPECT_EQ(late.body, "x");
  EXPECT_EQ(limit_refusals(), 36U);
}

TEST_F(PipelineTest, OneClientCannotKeepTheQueueFromAnother) {
  origin_config.limit.concurrency = 1;
  origin_config.limit.queue = 4;
  build();
  Answer slow = page("x");
  slow.takes = 1s;
  origin.plays({slow});
  for (int i = 0; i < 5; ++i) send("/o/hog" + std::to_string(i));  // one runs, four wait
  peer = "10.0.0.2";
  Client& other = send("/o/other");
  EXPECT_FALSE(other.done);  // it waits, and the hog's youngest has given way
  EXPECT_TRUE(clients[4].says("detail=limit"));
  EXPECT_EQ(limit_refusals(), 1U);
  pass(10s);
  EXPECT_EQ(other.body, "x");
}

}  // namespace
}  // namespace tanggul::shield
