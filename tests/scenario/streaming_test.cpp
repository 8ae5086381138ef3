// Bodies on their way: followers, slow readers, cuts.
#include <thread>

#include "base/bytes.h"
#include "base/digest.h"
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

constexpr std::uint64_t kLarge = 64ULL << 20;

std::string digest_of_generated(std::uint64_t size) {
  Digest d(DigestKind::sha256);
  for (std::uint64_t at = 0; at < size; at += 1 << 20)
    d.update(
        generated_bytes(at, static_cast<std::size_t>(std::min<std::uint64_t>(1 << 20, size - at))));
  return to_hex(d.finish());
}

RequestSpec request(std::string target) {
  RequestSpec spec;
  spec.target = std::move(target);
  spec.keep_body = false;
  spec.deadline = 120s;
  return spec;
}

TEST(Streaming, ASlowReaderSlowsOnlyItselfAndTheMemoryStaysSmall) {
  ScriptedOrigin origin;
  origin.set("/big", body_of(kLarge));
  TanggulProcess shield(generic_yaml(origin));
  // A reader that would need minutes; it leaves after some seconds.
  RequestSpec slow = request("/o/big");
  slow.read_bytes_per_second = 64 << 10;
  slow.leave_after = 8s;
  std::uint64_t peak = 0;
  const auto results =
      burst(shield.port(), 60, [&](std::size_t i) { return i == 0 ? slow : request("/o/big"); });
  peak = shield.process().peak_rss();
  EXPECT_EQ(origin.requests(), 1U);
  const std::string whole = digest_of_generated(kLarge);
  EXPECT_EQ(count_if(results, [&](const auto& r) { return r.complete && r.body_sha256 == whole; }),
            59U);
  EXPECT_TRUE(results[0].left);
  EXPECT_LT(peak, 120ULL << 20);
  expect_calm(shield);
}

TEST(Streaming, ASlowReaderGetsTheWholeInTheEnd) {
  ScriptedOrigin origin;
  origin.set("/a", body_of(2 << 20));
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec slow = request("/o/a");
  slow.read_bytes_per_second = 512 << 10;
  const auto results =
      burst(shield.port(), 5, [&](std::size_t i) { return i == 0 ? slow : request("/o/a"); });
  EXPECT_EQ(count_if(results, [&](const auto& r) { return r.complete && r.body_size == 2U << 20; }),
            5U);
  EXPECT_EQ(origin.requests(), 1U);
}

TEST(Streaming, ALateJoinerReadsFromByteZeroWhileItRuns) {
  ScriptedOrigin origin;
  Script paced = body_of(8 << 20);
  paced.bytes_per_second = 4 << 20;
  origin.set("/big", paced);
  TanggulProcess shield(generic_yaml(origin));
  std::vector<ClientResult> first, late;
  std::thread a([&] { first = burst(shield.port(), 1, request("/o/big")); });
  while (shield.metric("tanggul_flights") != 1) {
  }
  while (origin.in_progress() != 1) {
  }
  late = burst(shield.port(), 3, request("/o/big"));
  a.join();
  EXPECT_EQ(origin.requests(), 1U);
  for (const auto& r : late) {
    EXPECT_TRUE(r.complete);
    EXPECT_LT(r.first_byte, 3 * 20ms);
    EXPECT_TRUE(r.headers.has("x-cache-coalesced"));
  }
  expect_calm(shield);
}

void expect_cut_is_never_whole(std::uint64_t size, Framing framing) {
  ScriptedOrigin origin;
  Script cut = body_of(size);
  cut.fault = Fault::cut_body_at;
  cut.cut_at = size / 2;
  cut.framing = framing;
  origin.set("/a", cut);
  TanggulProcess shield(generic_yaml(origin, "    negative: { unreachable: 1s }\n"));
  const auto results = burst(shield.port(), 50, request("/o/a"));
  EXPECT_EQ(count_if(results, [](const auto& r) { return r.complete && r.status == 200; }), 0U);
  EXPECT_LT(slowest(results), 3 * 2s);
  EXPECT_LE(origin.requests(), 3U);
  origin.set("/a", body_of(size));
  const MonoTime start = MonoClock::now();
  ClientResult r;
  do r = get(shield.port(), "/o/a");
  while (r.status != 200 && MonoClock::now() - start < 5s);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.body_size, size);
  expect_calm(shield);
}

TEST(Streaming, AShortBodyCutInHalfIsNeverWhole) {
  expect_cut_is_never_whole(20'000, Framing::length);
  expect_cut_is_never_whole(20'000, Framing::chunked);
}
TEST(Streaming, ALongBodyCutInHalfIsNeverWhole) {
  expect_cut_is_never_whole(20'000'000, Framing::length);
  expect_cut_is_never_whole(20'000'000, Framing::chunked);
}

TEST(Streaming, ChunkedBodiesArriveWholeAndAreStored) {
  ScriptedOrigin origin;
  Script chunked = body_of(300'000);
  chunked.framing = Framing::chunked;
  origin.set("/a", chunked);
  TanggulProcess shield(generic_yaml(origin));
  for (int i = 0; i < 2; ++i) {
    const auto r = get(shield.port(), "/o/a");
    EXPECT_TRUE(r.complete);
    EXPECT_EQ(r.body, generated_bytes(0, 300'000));
  }
  EXPECT_EQ(origin.requests(), 1U);
}

TEST(Streaming, ABodyThatEndsWithTheConnectionIsDeliveredButNotKept) {
  ScriptedOrigin origin;
  Script open_end = body_of(300'000);
  open_end.framing = Framing::until_close;
  origin.set("/a", open_end);
  TanggulProcess shield(generic_yaml(origin));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(get(shield.port(), "/o/a").body_size, 300'000U);
  EXPECT_EQ(origin.requests(), 2U);
}

TEST(Streaming, LargeBodiesAreServedFromTheirFile) {
  ScriptedOrigin origin;
  origin.set("/big", body_of(kLarge));
  TanggulProcess shield(generic_yaml(origin));
  const std::string whole = digest_of_generated(kLarge);
  for (int i = 0; i < 2; ++i) {
    const auto r = send_request(shield.port(), request("/o/big"));
    EXPECT_TRUE(r.complete);
    EXPECT_EQ(r.body_sha256, whole);
  }
  EXPECT_EQ(origin.requests(), 1U);
  // It is counted once it has its name there, a moment after it was served.
  const auto on_disk = [&] { return shield.metric("tanggul_cache_bytes{tier=\"disk\"}"); };
  EXPECT_TRUE(eventually([&] { return on_disk() >= static_cast<double>(kLarge); }));
}

TEST(Streaming, AnOriginThatDripsDoesNotHoldTheKeyForEver) {
  ScriptedOrigin origin;
  Script drip = body_of(1000);
  drip.fault = Fault::drip;
  drip.drip_interval = 200ms;
  origin.set("/a", drip);
  TanggulProcess shield(generic_yaml(origin, "    timeout: { idle: 1s }\n"));
  const auto r = get(shield.port(), "/o/a");
  EXPECT_EQ(r.status, 504);
  EXPECT_EQ(origin.requests(), 1U);
  EXPECT_LT(r.total, 10s);
  expect_calm(shield);
}

TEST(Streaming, AnEndlessBodyEndsAtMaxObject) {
  ScriptedOrigin origin;
  origin.set("/a", faulty(Fault::endless_body));
  TanggulProcess shield(generic_yaml(origin, "    max_object: 4MiB\n"));
  const auto r = send_request(shield.port(), request("/o/a"));
  EXPECT_FALSE(r.complete);
  EXPECT_LT(shield.process().peak_rss(), 120ULL << 20);
  expect_calm(shield);
}

TEST(Streaming, EndlessHeadersAreRefused) {
  ScriptedOrigin origin;
  origin.set("/a", faulty(Fault::endless_headers));
  TanggulProcess shield(generic_yaml(origin, "    retry: { attempts: 1 }\n"));
  EXPECT_EQ(get(shield.port(), "/o/a").status, 502);
  EXPECT_LT(shield.process().peak_rss(), 120ULL << 20);
  expect_calm(shield);
}

TEST(Streaming, AnEventStreamPassesAtOnce) {
  ScriptedOrigin origin;
  Script events = body_of(2000, "no-store");
  events.framing = Framing::chunked;
  events.fault = Fault::drip;
  events.drip_interval = 50ms;
  origin.set("/events", events);
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec spec = request("/o/events");
  spec.leave_after = 1s;
  const auto r = send_request(shield.port(), spec);
  EXPECT_EQ(r.status, 200);
  EXPECT_LT(r.first_byte, 500ms);
  EXPECT_TRUE(r.left);
}

TEST(Streaming, AnUploadIsStreamedThrough) {
  ScriptedOrigin origin;
  origin.set("/up", body_of(10, "no-store"));
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec spec = request("/o/up");
  spec.method = "PUT";
  spec.body = generated_bytes(0, 20 << 20);
  const auto r = send_request(shield.port(), spec);
  EXPECT_EQ(r.status, 200);
  ASSERT_EQ(origin.seen().size(), 1U);
  EXPECT_EQ(origin.seen()[0].body_size, 20ULL << 20);
  EXPECT_EQ(origin.seen()[0].body_sha256, digest_of_generated(20 << 20));
  EXPECT_LT(shield.process().peak_rss(), 100ULL << 20);
}

TEST(Streaming, AnAnswerThatComesBeforeTheUploadsEndIsDeliveredWhole) {
  ScriptedOrigin origin;
  Script refuses = failing(401);
  refuses.early = true;
  origin.set("/up", refuses);
  TanggulProcess shield(generic_yaml(origin));
  RequestSpec spec = request("/o/up");
  spec.method = "PUT";
  spec.body = generated_bytes(0, 8 << 20);
  spec.keep_body = true;
  for (int i = 0; i < 5; ++i) {
    const auto r = send_request(shield.port(), spec);
    EXPECT_EQ(r.status, 401);
    EXPECT_EQ(r.body, "the origin's own words");
  }
  expect_calm(shield);
}

}  // namespace
}  // namespace tanggul::test
