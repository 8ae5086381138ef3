// A key that the whole fleet wants, and that expires every second.
#include <memory>

#include "compare.h"
#include "measurements.h"
#include "origin_times.h"
#include "paced_load.h"
#include "scripts.h"
#include "support/http_client.h"

namespace tanggul::bench {
namespace {

constexpr double kRate = 2000;  // a second, of each key
constexpr double kSpan = 3.6;   // seconds: three lifetimes end, whatever the jitter

Figures hot_key(Subject& subject, test::ScriptedOrigin& origin) {
  const auto times = std::make_shared<OriginTimes>();
  test::Script hot = body_of(1000, "max-age=1");
  hot.delay_body = 20ms;  // long enough for a herd to gather at each expiry
  origin.set("/hot", noted(times, hot));
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
  // More than one within half a lifetime belong to the same expiry.
  return {{"requests", static_cast<double>(times->most_within(500ms))},
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
