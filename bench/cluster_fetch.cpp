// Three nodes before one origin: who fetches, and when the others have it.
#include <algorithm>
#include <stdexcept>
#include <thread>

#include "base/bytes.h"
#include "base/digest.h"
#include "compare.h"
#include "measurements.h"
#include "nodes.h"
#include "origin_times.h"
#include "paced_load.h"
#include "scripts.h"
#include "support/eventually.h"

namespace tanggul::bench {
namespace {

using Results = std::vector<test::ClientResult>;

template <class Run>
Side repeated(int runs, Run run) {
  Side side;
  for (int i = 0; i < runs; ++i) side.add(run());
  return side;
}

double good(const Results& results) {
  return static_cast<double>(test::count_if(
      results, [](const test::ClientResult& r) { return r.status == 200 && r.complete; }));
}

double ended_ms(const test::ClientResult& r) {
  return in_ms((r.sent + r.total).time_since_epoch());
}

Figures cold_key() {
  const test::ScriptedOrigin origin(after(1s, body_of(20'000)));
  const Nodes nodes(origin);
  const Results results = nodes.ask(1000, "/o/cold");
  double slowest = 0;
  for (const auto& r : results) slowest = std::max(slowest, in_ms(r.total));
  const auto coalesced = test::count_if(
      results, [](const test::ClientResult& r) { return r.headers.has("x-cache-coalesced"); });
  return {{"requests", static_cast<double>(origin.requests())},
          {"good", good(results)},
          {"coalesced", static_cast<double>(coalesced)},
          {"slowest", slowest}};
}

std::string digest_of(ByteCount size) {
  Digest digest(DigestKind::sha256);
  for (ByteCount at = 0; at < size; at += 1_MiB) digest.update(test::generated_bytes(at, 1_MiB));
  return to_hex(digest.finish());
}

// Two callers on each node.
Figures stream(ByteCount size, const std::string& digest) {
  test::Script slow = after(200ms, body_of(size));
  slow.bytes_per_second = 20_MiB;
  const test::ScriptedOrigin origin(slow);
  const Nodes nodes(origin);
  const Results results = nodes.ask(2 * Nodes::kNodes, "/o/large");
  double first[Nodes::kNodes], whole = 0;
  std::fill(std::begin(first), std::end(first), 1e9);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& r = results[i];
    double& of_node = first[i % Nodes::kNodes];
    of_node = std::min(of_node, in_ms((r.sent + r.first_byte).time_since_epoch()));
    whole += r.complete && r.body_sha256 == digest ? 1 : 0;
  }
  const auto [holder, last] = std::minmax_element(std::begin(first), std::end(first));
  return {{"requests", static_cast<double>(origin.requests())},
          {"whole", whole},
          {"after", *last - *holder}};
}

// The others ask without end; the third node asks for the first time while the first refresh runs.
Figures expiry() {
  constexpr double kRate = 200, kSpan = 4.2;  // of each node a second; seconds
  const auto times = std::make_shared<OriginTimes>();
  const test::ScriptedOrigin origin(noted(times, after(300ms, body_of(1000, "max-age=1"))));
  const Nodes nodes(origin, {.origin = "    early_refresh_beta: 0\n", .cluster = {}});
  nodes.ask(1, "/o/hot");
  std::vector<PacedGroup> groups[2];
  std::vector<std::thread> load;
  for (std::size_t i = 0; i < 2; ++i)
    load.emplace_back([&, i] {
      groups[i] = run_paced(nodes.port(i), {.connections = 8,
                                            .rate = kRate,
                                            .total = static_cast<std::uint64_t>(kRate * kSpan),
                                            .target = [](std::uint64_t) { return "/o/hot"; }});
    });
  const bool refreshing = test::eventually([&] { return times->total() == 2; }, 5s);
  const auto cold = test::get(nodes.port(2), "/o/hot");
  for (auto& t : load) t.join();
  if (!refreshing) throw std::runtime_error("nothing expired");
  double slowest = in_ms(cold.total), failed = cold.status == 200 ? 0 : 1;
  for (const auto& of_node : groups)
    for (const PacedGroup& g : of_node) {
      for (const double latency : g.latencies_ms) slowest = std::max(slowest, latency);
      for (const auto& [status, n] : g.by_status)
        if (status != 200) failed += static_cast<double>(n);
    }
  // Of a fresh one some of its life is left: ttl is above 0.
  const std::string how(cold.headers.find("cache-status").value_or(""));
  const bool stale = how.find("; hit") != how.npos &&
                     (how.find("; ttl=0") != how.npos || how.find("; ttl=-") != how.npos);
  return {{"at_once", static_cast<double>(times->most_within(800ms))},
          {"total", static_cast<double>(times->total())},
          {"slowest", slowest},
          {"failed", failed},
          {"cold", in_ms(cold.total)},
          {"stale", stale ? 1 : 0}};
}

// How much later than the first node each of the others has the whole answer, of every key.
std::vector<double> lateness_ms(bool streaming, int rounds) {
  constexpr std::size_t kKeys = 10;  // at once
  const test::ScriptedOrigin origin(after(150ms, body_of(1000)));
  const Nodes nodes(
      origin, {.origin = {}, .cluster = streaming ? "" : ", advertise: \"http://127.0.0.1:1\""});
  std::vector<double> late;
  for (int round = 0; round < rounds; ++round) {
    const Results results = nodes.ask(kKeys * Nodes::kNodes, [&](std::size_t i) {
      test::RequestSpec spec;
      spec.target = "/o/" + std::to_string(round) + "-" + std::to_string(i / Nodes::kNodes);
      return spec;
    });
    if (good(results) != static_cast<double>(results.size()))
      throw std::runtime_error("not every answer was a 200");
    for (std::size_t key = 0; key < kKeys; ++key) {
      const std::size_t at = key * Nodes::kNodes;
      std::vector<double> ends;
      for (std::size_t i = at; i < at + Nodes::kNodes; ++i) ends.push_back(ended_ms(results[i]));
      std::sort(ends.begin(), ends.end());
      for (std::size_t i = 1; i < ends.size(); ++i) late.push_back(ends[i] - ends[0]);
    }
  }
  const auto fetched = static_cast<std::size_t>(rounds) * kKeys;
  if (origin.requests() != fetched) throw std::runtime_error("a key was fetched twice");
  return late;
}

void add_wake(const Options& options, Table& musts, bool streaming, const std::string& how) {
  const std::vector<double> late = lateness_ms(streaming, options.quick ? 5 : 40);
  const double p99 = quantile(late, 0.99);
  add(musts, {.what = "a waiter on another node has the whole answer after the holder's own, " +
                      how + ": p50 · p99 of " + number(static_cast<double>(late.size())),
              .must = "p99 ≤ 20 ms",
              .ours = ms(median(late)) + " · " + ms(p99),
              .peers = {},
              .met = p99 <= 20});
}

}  // namespace

void measure_cluster_cold_key(const Options& options, Table& musts) {
  const Side s = repeated(options.runs(), cold_key);
  const std::string what = "1000 callers over three nodes, one cold key, origin takes 1 s: ";
  add(musts, {.what = what + "requests at the origin",
              .must = "1",
              .ours = number(s.most("requests")),
              .peers = {},
              .met = s.most("requests") == 1});
  add(musts, {.what = what + "answered with 200 · of them coalesced",
              .must = "1000 · 999",
              .ours = number(s.least("good")) + " · " + number(s.least("coalesced")),
              .peers = {},
              .met = s.least("good") == 1000 && s.least("coalesced") == 999});
  add(musts, {.what = what + "slowest (of the slowest run)",
              .must = "≤ 1250 ms",
              .ours = ms(s.median("slowest")) + " (" + ms(s.most("slowest")) + ")",
              .peers = {},
              .met = s.most("slowest") <= 1250});
}

void measure_cluster_stream(const Options& options, Table& musts) {
  const ByteCount size = options.quick ? 20_MiB : 200_MiB;
  const std::string digest = digest_of(size);
  const Side s = repeated(options.quick ? 1 : 3, [&] { return stream(size, digest); });
  const std::string what =
      "a body of " + mib(static_cast<double>(size)) + " at 20 MiB/s, callers on all nodes: ";
  add(musts, {.what = what + "requests at the origin · bodies whole by digest",
              .must = "1 · 6",
              .ours = number(s.most("requests")) + " · " + number(s.least("whole")),
              .peers = {},
              .met = s.most("requests") == 1 && s.least("whole") == 6});
  add(musts, {.what = what + "first byte on the last node after the first node's",
              .must = "≤ 50 ms",
              .ours = ms(s.most("after")),
              .peers = {},
              .met = s.most("after") <= 50});
}

void measure_cluster_expiry(const Options& options, Table& musts) {
  const Side s = repeated(options.quick ? 1 : 3, expiry);
  const std::string what = "a key with a life of 1 s, 400 requests/s on two nodes, origin 300 ms: ";
  add(musts, {.what = what + "requests at the origin for one expiry (in all)",
              .must = "1 (≥ 4)",
              .ours = number(s.most("at_once")) + " (" + number(s.least("total")) + ")",
              .peers = {},
              .met = s.most("at_once") == 1 && s.least("total") >= 4});
  add(musts, {.what = "the same: slowest answer · failed",
              .must = "< 300 ms · 0",
              .ours = ms(s.most("slowest")) + " · " + number(s.most("failed")),
              .peers = {},
              .met = s.most("slowest") < 300 && s.most("failed") == 0});
  add(musts,
      {.what = "the same: a cold node asked during a refresh: its answer, stale from Redis",
       .must = "stale, < 300 ms",
       .ours = std::string(s.least("stale") == 1 ? "stale, " : "not stale, ") + ms(s.most("cold")),
       .peers = {},
       .met = s.least("stale") == 1 && s.most("cold") < 300});
}

void measure_cluster_wake(const Options& options, Table& musts) {
  add_wake(options, musts, true, "streamed");
  add_wake(options, musts, false, "nodes that cannot reach each other");
}

}  // namespace tanggul::bench
