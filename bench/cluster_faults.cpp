// Three nodes before one origin on a bad day: Redis dies, a node dies, the origin is dead.
#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "compare.h"
#include "measurements.h"
#include "nodes.h"
#include "origin_times.h"
#include "paced_load.h"
#include "scripts.h"
#include "support/eventually.h"

namespace tanggul::bench {
namespace {

// `load` on each node at once, each from a thread of its own; joined by wait() or at the end.
class LoadOnAll {
 public:
  LoadOnAll(const Nodes& nodes, const std::function<PacedLoad(std::size_t)>& load) {
    for (std::size_t i = 0; i < Nodes::kNodes; ++i)
      threads_.emplace_back(
          [this, i, port = nodes.port(i), l = load(i)] { groups_[i] = run_paced(port, l); });
  }
  ~LoadOnAll() { wait(); }
  LoadOnAll(const LoadOnAll&) = delete;
  LoadOnAll& operator=(const LoadOnAll&) = delete;

  void wait() {
    for (auto& t : threads_)
      if (t.joinable()) t.join();
  }
  // Over all nodes, how many of a group had this status, or had not.
  double with(std::size_t group, int status) const { return count(group, status, true); }
  double without(std::size_t group, int status) const { return count(group, status, false); }

 private:
  double count(std::size_t group, int status, bool equal) const {
    double n = 0;
    for (const auto& of_node : groups_)
      for (const auto& [s, count] : of_node[group].by_status)
        if ((s == status) == equal) n += static_cast<double>(count);
    return n;
  }

  std::vector<PacedGroup> groups_[Nodes::kNodes];
  std::vector<std::thread> threads_;
};

// Nine seconds of 300 requests a second, a tenth of them for keys that nobody has. Redis is killed
// after two and comes back after five.
Figures redis_dies() {
  const test::ScriptedOrigin origin(body_of(1000));
  Nodes nodes(origin);
  nodes.ask(Nodes::kNodes, "/o/kept");
  const double before = static_cast<double>(origin.requests());
  constexpr double kRate = 100;
  LoadOnAll load(nodes, [&](std::size_t node) {
    return PacedLoad{.connections = 32,
                     .rate = kRate,
                     .total = static_cast<std::uint64_t>(9 * kRate),
                     .target =
                         [node](std::uint64_t i) {
                           return i % 10 != 0
                                      ? std::string("/o/kept")
                                      : "/o/" + std::to_string(node) + "-" + std::to_string(i);
                         },
                     .group = [](std::uint64_t i) -> std::size_t { return i % 10 == 0 ? 1 : 0; },
                     .groups = 2};
  });
  std::this_thread::sleep_for(2s);
  nodes.redis().kill();
  const bool noticed = test::eventually([&] { return !nodes.in_cluster(); }, 3s);
  std::this_thread::sleep_for(2s);
  nodes.redis().start();
  const MonoTime back = MonoClock::now();
  nodes.await_cluster();
  const double rejoined = in_ms(MonoClock::now() - back);
  load.wait();
  return {{"kept", load.with(0, 200)},
          {"kept_failed", load.without(0, 200)},
          {"misses_failed", load.without(1, 200)},
          {"misses", static_cast<double>(origin.requests()) - before},
          {"noticed", noticed ? 1 : 0},
          {"rejoined", rejoined}};
}

// As many callers as come through, each with a new key, for 20 s; a node is killed halfway.
Figures limits(double rate, double burst, Duration takes, std::size_t span) {
  const auto times = std::make_shared<OriginTimes>();
  const test::ScriptedOrigin origin(noted(times, after(takes, body_of(100))));
  const std::string own = "    limit: { concurrency: 8, rate: " + number(rate) + "/s" +
                          ", burst: " + number(burst) + ", queue: 1000, queue_wait: 60s }\n";
  Nodes nodes(origin, {.origin = own, .cluster = {}});
  std::array<std::atomic<bool>, Nodes::kNodes> over{};
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < Nodes::kNodes; ++i)
    clients.emplace_back([&, i] {
      for (int round = 0; !over[i]; ++round)
        test::burst(nodes.port(i), 20, [&](std::size_t k) {
          test::RequestSpec spec;
          spec.target =
              "/o/" + std::to_string(i) + "-" + std::to_string(round) + "-" + std::to_string(k);
          return spec;
        });
    });
  std::this_thread::sleep_for(std::chrono::seconds(span) / 2);
  over[2] = true;
  nodes.kill(2);
  std::this_thread::sleep_for(std::chrono::seconds(span) / 2);
  const double total = static_cast<double>(times->total());
  const double at_once = static_cast<double>(origin.max_concurrent());
  for (auto& one : over) one = true;
  for (auto& c : clients) c.join();
  return {{"total", total},
          {"second", static_cast<double>(times->most_within(1s))},
          {"at_once", at_once}};
}

void add_limits(Table& musts, const std::string& what, Duration takes, std::size_t span) {
  constexpr double kRate = 50, kBurst = 10;
  const Figures f = limits(kRate, kBurst, takes, span);
  const double most = kRate * static_cast<double>(span) + kBurst;
  add(musts,
      {.what = what + ": requests at the origin in " + number(static_cast<double>(span)) +
               " s · most within a second · at once",
       .must = "≤ " + number(most) + " · ≤ " + number(kRate + kBurst) + " · ≤ 8",
       .ours =
           number(f.at("total")) + " · " + number(f.at("second")) + " · " + number(f.at("at_once")),
       .peers = {},
       .met = f.at("total") <= most && f.at("second") <= kRate + kBurst && f.at("at_once") <= 8});
}

// Ten seconds of 300 requests a second, each for another key.
Figures dead_origin() {
  const auto times = std::make_shared<OriginTimes>();
  const test::ScriptedOrigin origin(noted(times, failing(503)));
  const Nodes nodes(origin, {.origin = "    limit: { concurrency: 8 }\n"
                                       "    breaker: { min_requests: 20, open_for: 2s }\n",
                             .cluster = {}});
  const MonoTime start = MonoClock::now();
  LoadOnAll load(nodes, [](std::size_t node) {
    return PacedLoad{.connections = 64, .rate = 100, .total = 1000, .target = [node](auto i) {
                       return "/o/" + std::to_string(node) + "-" + std::to_string(i);
                     }};
  });
  load.wait();
  // The first period ends after 0.8 of its length at the earliest: what came before is what it took
  // to open, what comes after are probes.
  double attempts = 0, probes = 0, nearest = 1e9;
  MonoTime opened = start, last{};
  for (const MonoTime t : times->all()) {
    if (attempts == 0 || t - opened < 1600ms) {
      if (attempts == 0) opened = t;
      ++attempts;
      continue;
    }
    if (probes > 0) nearest = std::min(nearest, in_ms(t - last));
    last = t;
    ++probes;
  }
  return {{"attempts", attempts}, {"probes", probes}, {"nearest", probes > 1 ? nearest : 1e9}};
}

}  // namespace

void measure_cluster_redis_dies(const Options& options, Table& musts) {
  Side s;
  for (int i = 0; i < (options.quick ? 1 : 3); ++i) s.add(redis_dies());
  add(musts, {.what = "Redis killed under 300 requests/s: failed for the key that is kept (of) · "
                      "failed misses (of)",
              .must = "0 · 0",
              .ours = number(s.most("kept_failed")) + " (" + number(s.least("kept")) + ") · " +
                      number(s.most("misses_failed")) + " (" + number(s.least("misses")) + ")",
              .peers = {},
              .met = s.most("kept_failed") == 0 && s.most("misses_failed") == 0 &&
                     s.least("noticed") == 1});
  add(musts, {.what = "the same: all nodes in the cluster again after Redis is back (slowest)",
              .must = "≤ 5 s",
              .ours = ms(s.median("rejoined")) + " (" + ms(s.most("rejoined")) + ")",
              .peers = {},
              .met = s.most("rejoined") <= 5000});
}

void measure_cluster_limits(const Options& options, Table& musts) {
  const std::size_t span = options.quick ? 6 : 20;
  const std::string what = "50/s (burst 10) and 8 at once for three nodes, one killed halfway, ";
  add_limits(musts, what + "origin takes 100 ms", 100ms, span);
  add_limits(musts, what + "origin takes 300 ms", 300ms, span);
}

void measure_cluster_dead_origin(const Options& options, Table& musts) {
  Side s;
  for (int i = 0; i < (options.quick ? 1 : 3); ++i) s.add(dead_origin());
  const std::string what = "origin answers 503, 10 s of 300 requests/s on ever new keys: ";
  add(musts, {.what = what + "attempts until the breaker of all is open",
              .must = "≤ 28 (min_requests + concurrency)",
              .ours = number(s.most("attempts")),
              .peers = {},
              .met = s.most("attempts") <= 28});
  add(musts, {.what = "the same: probes of all nodes after it · shortest time between two",
              .must = "≤ 1 a period (2 s, then 4 s)",
              .ours = number(s.most("probes")) + " · " + ms(s.least("nearest")),
              .peers = {},
              .met = s.most("probes") <= 3 && s.least("nearest") >= 3200});
}

}  // namespace tanggul::bench
