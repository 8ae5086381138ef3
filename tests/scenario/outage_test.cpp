// The bad day: what the origin's failures cost it, and what those who wait are told.
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

struct Waves {
  std::vector<std::vector<ClientResult>> each;
  std::size_t with_status(int status) const {
    std::size_t n = 0;
    for (const auto& w : each) n += test::with_status(w, status);
    return n;
  }
};

Waves three_waves(const TanggulProcess& shield, const std::string& target) {
  Waves waves;
  RequestSpec spec;
  spec.target = target;
  for (int i = 0; i < 3; ++i) waves.each.push_back(burst(shield.port(), 200, spec));
  return waves;
}

void expect_shared_once(const Waves& waves, const ScriptedOrigin& origin, int status) {
  EXPECT_LE(origin.requests("/a"), 3U);
  EXPECT_EQ(waves.with_status(status), 600U);
  for (const auto& wave : waves.each)
    for (const auto& r : wave) {
      ASSERT_TRUE(is_problem(r)) << r.body;
      ASSERT_TRUE(r.headers.has("retry-after"));
      ASSERT_TRUE(r.complete);
    }
}

TEST(Outage, ThreeWavesOn503CostOneFlightWithItsRetries) {
  ScriptedOrigin origin;
  origin.set("/a", failing(503, 200ms));
  TanggulProcess shield(generic_yaml(origin));
  const Waves waves = three_waves(shield, "/o/a");
  expect_shared_once(waves, origin, 503);
  EXPECT_EQ(origin.requests("/a"), 3U);
  EXPECT_LT(slowest(waves.each[0]), 3 * 1500ms);
  EXPECT_LT(slowest(waves.each[2]), 3 * 100ms);
  EXPECT_EQ(shield.metric("tanggul_origin_requests_total{code=\"5xx\"}"), 3);
  EXPECT_EQ(shield.metric("tanggul_retries_total{outcome=\"failure\"}"), 2);
  expect_calm(shield);
}

TEST(Outage, ADoNotStoreOn503ChangesNothing) {
  ScriptedOrigin origin;
  Script s = failing(503, 200ms);
  s.headers = {{"Cache-Control", "no-store"}};
  origin.set("/a", s);
  TanggulProcess shield(generic_yaml(origin));
  expect_shared_once(three_waves(shield, "/o/a"), origin, 503);
}

TEST(Outage, ThreeWavesOnAResettingOriginCostTheSame) {
  ScriptedOrigin origin;
  origin.set("/a", faulty(Fault::reset_after_request));
  TanggulProcess shield(generic_yaml(origin));
  expect_shared_once(three_waves(shield, "/o/a"), origin, 502);
  expect_calm(shield);
}

TEST(Outage, ResetsOnPooledConnectionsCostTheSame) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec spec;
  burst(shield.port(), 40, [](std::size_t i) {  // fill the pool
    RequestSpec s;
    s.target = "/o/warm" + std::to_string(i);
    return s;
  });
  origin.set("/a", faulty(Fault::reset_after_request));
  expect_shared_once(three_waves(shield, "/o/a"), origin, 502);
  expect_calm(shield);
}

TEST(Outage, PooledConnectionsThatHaveDiedAreNoFailure) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec spec;
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(get(shield.port(), "/o/k" + std::to_string(i)).status, 200);
    if (i % 3 == 0) origin.drop_connections();
  }
  EXPECT_EQ(origin.requests(), 30U);
  EXPECT_EQ(shield.metric("tanggul_breaker_state"), 0);
  expect_calm(shield);
}

TEST(Outage, AnUploadIsNotRiskedOnAPooledConnectionThatHasDied) {
  Script closes = body_of(100, "no-store");
  closes.fault = Fault::close_idle_connection;
  ScriptedOrigin origin(closes);
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec post;
  post.method = "POST";
  post.target = "/o/b";
  post.body = std::string(100'000, 'x');
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(get(shield.port(), "/o/a").status, 200);
    EXPECT_EQ(send_request(shield.port(), post).status, 200);
  }
  EXPECT_EQ(origin.requests("/b"), 30U);
  expect_calm(shield);
}

TEST(Outage, AnOriginThatNeverAnswersCostsThreeTimeOutsOnce) {
  ScriptedOrigin origin;
  origin.set("/a", faulty(Fault::never_answer));
  TanggulProcess shield(generic_yaml(origin, "    timeout: { first_byte: 500ms }\n"));
  const Waves waves = three_waves(shield, "/o/a");
  expect_shared_once(waves, origin, 504);
  EXPECT_EQ(shield.metric("tanggul_origin_requests_total{code=\"timeout\"}"), 3);
}

TEST(Outage, AnOriginThatRefusesIsABadGateway) {
  ScriptedOrigin origin;
  TanggulProcess shield(generic_yaml(origin));
  origin.stop_listening();
  const Waves waves = three_waves(shield, "/o/a");
  EXPECT_EQ(waves.with_status(502), 600U)
      << waves.each[0][0].body << get(shield.admin_port(), "/api/status").body;
  EXPECT_EQ(shield.metric("tanggul_origin_requests_total{code=\"connect\"}"), 3);
  EXPECT_EQ(origin.requests(), 0U);
  expect_calm(shield);
}

TEST(Outage, GarbageIsABadGatewayAndNeverA404) {
  ScriptedOrigin origin;
  origin.set("/a", faulty(Fault::garbage));
  TanggulProcess shield(generic_yaml(origin));
  const auto r = get(shield.port(), "/o/a");
  EXPECT_EQ(r.status, 502);
  EXPECT_TRUE(is_problem(r));
  expect_calm(shield);
}

TEST(Outage, WhatIsHeldIsServedThroughAnOutage) {
  ScriptedOrigin origin(body_of(1000, "max-age=1"));
  TanggulProcess shield(generic_yaml(origin, "    stale_while_revalidate: 0s\n"));
  const auto before = get(shield.port(), "/o/a");
  ASSERT_EQ(before.status, 200);
  origin.stop_listening();
  origin.drop_connections();
  ClientResult during;
  const MonoTime start = MonoClock::now();
  do {
    during = get(shield.port(), "/o/a");
    ASSERT_EQ(during.status, 200);
    ASSERT_EQ(during.body, before.body);
  } while (MonoClock::now() - start < 1500ms);
  EXPECT_NE(during.headers.joined("cache-status").find("detail=stale-if-error"), std::string::npos);
}

TEST(Outage, AFailureIsForgottenInTimeAndTheNextAnswerIsWhole) {
  ScriptedOrigin origin;
  origin.set("/a", faulty(Fault::reset_after_request));
  TanggulProcess shield(generic_yaml(origin, "    negative: { unreachable: 1s }\n"));
  EXPECT_EQ(get(shield.port(), "/o/a").status, 502);
  origin.set("/a", body_of(5000));
  EXPECT_EQ(get(shield.port(), "/o/a").status, 502);
  const MonoTime start = MonoClock::now();
  ClientResult r;
  do r = get(shield.port(), "/o/a");
  while (r.status != 200 && MonoClock::now() - start < 4s);
  EXPECT_EQ(r.status, 200);
  EXPECT_EQ(r.body, generated_bytes(0, 5000));
}

TEST(Outage, TheOpenBreakerAsksNobodyServesWhatIsHeldAndClosesWithinThreeProbes) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(
      generic_yaml(origin,
                   "    retry: { attempts: 1 }\n    breaker: { open_for: 2s, max_open: 4s }\n"
                   "    negative: { server_error: 0s, unreachable: 0s }\n"));
  ASSERT_EQ(get(shield.port(), "/o/held").status, 200);
  origin.set_default(failing(503));
  for (int i = 0; i < 20; ++i) get(shield.port(), "/o/bad" + std::to_string(i));
  ASSERT_EQ(shield.metric("tanggul_breaker_state"), 2);
  origin.reset_counts();
  const MonoTime start = MonoClock::now();
  int n = 0;
  while (MonoClock::now() - start < 1500ms) {
    const auto results = burst(shield.port(), 20, [&](std::size_t) {
      RequestSpec s;
      s.target = "/o/new" + std::to_string(++n);
      return s;
    });
    ASSERT_EQ(with_status(results, 503), 20U);
    ASSERT_TRUE(results[0].headers.has("retry-after"));
    ASSERT_NE(results[0].headers.joined("cache-status").find("breaker-open"), std::string::npos);
    ASSERT_EQ(get(shield.port(), "/o/held").status, 200);
  }
  EXPECT_EQ(origin.requests(), 0U);
  origin.set_default(body_of(100));
  std::uint64_t served = 0;
  while (shield.metric("tanggul_breaker_state") != 0 && MonoClock::now() - start < 12s)
    served += get(shield.port(), "/o/probe" + std::to_string(++n)).status == 200 ? 1 : 0;
  EXPECT_EQ(served, 3U);
  EXPECT_EQ(origin.requests(), 3U);
  expect_calm(shield);
}

TEST(Outage, A429RestsTheOriginUntilItsRetryAfter) {
  ScriptedOrigin origin(body_of(100));
  Script busy = failing(429);
  busy.headers = {{"Retry-After", "30"}};
  origin.set("/a", busy);
  TanggulProcess shield(generic_yaml(origin));
  EXPECT_EQ(get(shield.port(), "/o/a").status, 429);
  const auto other = get(shield.port(), "/o/b");
  EXPECT_EQ(other.status, 429);
  EXPECT_TRUE(other.headers.has("retry-after"));
  EXPECT_EQ(origin.requests(), 1U);
  EXPECT_GT(shield.metric("tanggul_origin_paused_seconds"), 20);
}

TEST(Outage, MirrorsAreTriedInOrder) {
  ScriptedOrigin first(body_of(100)), second(body_of(100));
  std::string yaml =
      "access_log: off\norigins:\n  o:\n    kind: generic\n    mount: /o/\n    upstream: [";
  yaml += first.url() + ", " + second.url() + "]\n";
  TanggulProcess shield(yaml);
  EXPECT_EQ(get(shield.port(), "/o/a").status, 200);
  EXPECT_EQ(first.requests(), 1U);
  first.stop_listening();
  first.drop_connections();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(shield.port(), "/o/b" + std::to_string(i)).status, 200);
  EXPECT_EQ(second.requests(), 5U);
}

}  // namespace
}  // namespace tanggul::test
