// A key that the whole fleet wants, and that expires every second.
#include <algorithm>
#include <memory>
#include <mutex>

#include "compare.h"
#include "measurements.h"
#include "paced_load.h"
#include "scripts.h"
#include "support/http_client.h"

namespace tanggul::bench {
namespace {

constexpr double kRate = 2000;  // a second, of each key
constexpr double kSpan = 3.6;   // seconds: three lifetimes end, whatever the jitter

// When the origin was asked for the hot key. Written on its thread.
class Times {
 public:
  void note() {
    const std::lock_guard lock(mutex_);
    times_.push_back(MonoClock::now());
  }
  std::size_t total() const {
    const std::lock_guard lock(mutex_);
    return times_.size();
  }
  // The most requests within half a lifetime: more than one belong to the same expiry.
  double most_at_an_expiry() const {
    const std::lock_guard lock(mutex_);
    std::ptrdiff_t most = 0;
    for (auto it = times_.begin(); it != times_.end(); ++it) {
      most = std::max(most, std::upper_bound(it, times_.end(), *it + 500ms) - it);
    }
    return static_cast<double>(most);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<MonoTime> times_;
};

Figures hot_key(Subject& subject, test::ScriptedOrigin& origin) {
  const auto times = std::make_shared<Times>();
  test::Script hot;
  hot.dynamic = [times](const test::SeenRequest&) {
    times->note();
    test::Script s = body_of(1000, "max-age=1");
    s.delay_body = 20ms;  // long enough for a herd to gather at each expiry
    return s;
  };
  origin.set("/hot", hot);
  origin.set("/cold", body_of(1000));
  for (const char* key : {"/o/hot", "/o/cold"}) test::get(subject.port(), key);
  const auto groups = run_paced(
      subject.port(), {.connections = 64,
                       .rate = 2 * kRate,
                       .total = static_cast<std::uint64_t>(2 * kRate * kSpan),
                       .target = [](std::uint64_t i) { return i % 2 ? "/o/hot" : "/o/cold"; },
                       .group = [](std::uint64_t i) -> std::size_t { return i % 2; },
                       .groups = 2});
  const double cold = quantile(groups[0].latencies_ms, 0.99);
  const double p99 = quantile(groups[1].latencies_ms, 0.99);
  return {{"requests", times->most_at_an_expiry()},
          {"total", static_cast<double>(times->total())},
          {"hot", p99},
          {"cold", cold},
          {"ratio", p99 / cold}};
}

std::string latency_cell(const Side& side) {
  return ms(side.median("hot")) + " / " + ms(side.median("cold")) + ", " +
         ratio(side.median("ratio"));
}

}  // namespace

void measure_hot_key(const Options& options, Table& musts) {
  const Compared c = compare({options.runs(), options.runs()}, tanggul_with(), hot_key);
  const std::string what = "a key at 2000 requests/s, TTL 1 s, three expiries: ";
  add(musts, {.what = what + "requests at the origin for one expiry",
              .must = "1",
              .ours = number(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) { return number(p.most("requests")); }),
              .met = c.ours.most("requests") == 1 && c.ours.least("total") >= 4});
  add(musts, {.what = what + "p99 / p99 of a key that stays, same connections",
              .must = "≤ 1.2 ×",
              .ours = latency_cell(c.ours),
              .peers = c.cells(latency_cell),
              .met = c.ours.median("ratio") <= 1.2});
}

}  // namespace tanggul::bench
