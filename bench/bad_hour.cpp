// What an outage costs those who do not need the origin that is down, and who waits for its end.
#include <algorithm>
#include <thread>

#include "compare.h"
#include "measurements.h"
#include "paced_load.h"
#include "scripts.h"
#include "support/http_client.h"

namespace tanggul::bench {
namespace {

constexpr double kRate = 4000;  // a second, half of it for each origin
constexpr double kSpan = 3;     // seconds, less than the first attempt waits for an answer

struct Latencies {
  double a, b;  // p99 in ms: hits of the origin that is down, everything of the other
};

// `b`: the path of the other origin; every second of its requests is a miss.
Latencies take(std::uint16_t port, const std::string& b, const std::string& run) {
  const auto groups =
      run_paced(port, {.connections = 32,
                       .rate = kRate,
                       .total = static_cast<std::uint64_t>(kRate * kSpan),
                       .target =
                           [&](std::uint64_t i) {
                             if (i % 2 == 0) return std::string("/o/held");
                             return i % 4 == 1 ? b + "held" : b + run + std::to_string(i);
                           },
                       .group = [](std::uint64_t i) -> std::size_t { return i % 2; },
                       .groups = 2});
  for (const PacedGroup& g : groups)
    if (g.by_status.size() != 1 || !g.by_status.contains(200))
      throw std::runtime_error("not every answer was a 200");
  return {quantile(groups[0].latencies_ms, 0.99), quantile(groups[1].latencies_ms, 0.99)};
}

Figures isolation(Subject& subject, test::ScriptedOrigin& down, const std::string& b) {
  down.set_default(faulty(test::Fault::never_answer, body_of(1000)));
  down.set("/held", body_of(1000));
  for (const std::string& key : {std::string("/o/held"), b + "held"})
    test::get(subject.port(), key);
  const Latencies before = take(subject.port(), b, "before");
  std::vector<test::ClientResult> stuck;
  std::thread herd([&] {
    stuck = test::burst(subject.port(), 5000, [](std::size_t i) {
      test::RequestSpec spec;
      spec.target = "/o/" + std::to_string(i);
      spec.deadline = 30s;
      return spec;
    });
  });
  while (down.requests() < 8) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(500ms);  // the herd has been let in, or told to come later
  const Latencies with = take(subject.port(), b, "with");
  const double sockets = static_cast<double>(down.open_connections());
  herd.join();
  return {{"a_before", before.a}, {"a", with.a}, {"a_ratio", with.a / before.a},
          {"b_before", before.b}, {"b", with.b}, {"b_ratio", with.b / before.b},
          {"sockets", sockets}};
}

std::string cell(const Side& side, const std::string& name) {
  return ms(side.median(name + "_before")) + " → " + ms(side.median(name)) + ", " +
         ratio(side.median(name + "_ratio"));
}

}  // namespace

void measure_isolation(const Options& options, Table& musts) {
  test::ScriptedOrigin other(body_of(1000));
  const StartSubject ours = tanggul_with(
      "    limit: { concurrency: 32, queue: 10000 }\n"
      "  b:\n    kind: generic\n    mount: /b/\n    upstream: " +
      other.url() + "\n");
  Compared c = compare({.ours = options.runs()}, ours,
                       [](Subject& s, test::ScriptedOrigin& o) { return isolation(s, o, "/b/"); });
  const std::string what = "origin A never answers, 5000 callers on 5000 of its keys: ";
  add(musts, {.what = what + "p99 of hits of A, without → with them",
              .must = "≤ 1.2 ×",
              .ours = cell(c.ours, "a"),
              .met = c.ours.median("a_ratio") <= 1.2});
  add(musts, {.what = "the same: p99 of hits and misses of origin B, without → with them",
              .must = "≤ 1.2 ×",
              .ours = cell(c.ours, "b"),
              .met = c.ours.median("b_ratio") <= 1.2});
  add(musts, {.what = "the same: sockets to A",
              .must = "≤ 33 (the limit, and a pooled one)",
              .ours = number(c.ours.most("sockets")),
              .met = c.ours.most("sockets") <= 33});
}

void measure_gate(const Options& options, Table& musts) {
  test::ScriptedOrigin origin(body_of(1000));
  const Tanggul shield(origin);
  std::vector<double> times;
  for (int i = 0; i < 4 * options.runs(); ++i) {
    const MonoTime start = MonoClock::now();
    const auto done = test::run_command(
        {.args = {test::tanggul_binary(), "gate", "--admin",
                  "http://127.0.0.1:" + std::to_string(shield.port()), "--origin", "o"}});
    if (done.status != 0) throw std::runtime_error("the gate did not open: " + done.err);
    times.push_back(in_ms(MonoClock::now() - start));
  }
  const double slowest = *std::max_element(times.begin(), times.end());
  add(musts,
      {.what = "`tanggul gate` while the origin is healthy, from start to exit: median (slowest)",
       .must = "≤ 50 ms",
       .ours = ms(median(times)) + " (" + ms(slowest) + ")",
       .met = slowest <= 50});
}

}  // namespace tanggul::bench
