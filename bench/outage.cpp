// The bad day: what failures cost the origin, and how long those who wait are kept.
#include <algorithm>

#include "compare.h"
#include "crowd.h"
#include "measurements.h"
#include "paced_load.h"
#include "scripts.h"
#include "support/http_client.h"

namespace tanggul::bench {
namespace {

double slowest_ms(const std::vector<test::ClientResult>& results) {
  Duration most{};
  for (const auto& r : results) most = std::max(most, r.total);
  return in_ms(most);
}

Figures waves_of_503(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set("/a", failing(503, 200ms));
  std::vector<double> slowest;
  for (int i = 0; i < 3; ++i) {
    slowest.push_back(slowest_ms(test::burst(subject.port(), 200, {.target = subject.at("/a")})));
  }
  return {{"first", slowest[0]},
          {"later", std::max(slowest[1], slowest[2])},
          {"requests", static_cast<double>(origin.requests())}};
}

Figures never_answers(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set("/a", faulty(test::Fault::never_answer, body_of(1000)));
  const auto results = test::burst(subject.port(), 200, {.target = subject.at("/a")});
  return {{"slowest", slowest_ms(results)}, {"requests", static_cast<double>(origin.requests())}};
}

Figures cut_body(Subject& subject, test::ScriptedOrigin& origin, std::uint64_t size) {
  test::Script cut = faulty(test::Fault::cut_body_at, body_of(size));
  cut.cut_at = size / 2;
  origin.set("/a", cut);
  const auto readings = read_all(subject.port(), {.target = subject.at("/a"), .readers = 50});
  Duration slowest{};
  double whole = 0;
  for (const Reading& r : readings) {
    slowest = std::max(slowest, r.last_byte);
    whole += r.status == 200 && r.complete ? 1 : 0;
  }
  return {{"slowest", in_ms(slowest)},
          {"whole", whole},
          {"requests", static_cast<double>(origin.requests())}};
}

void add_cut_body(const Options& options, Table& musts, std::uint64_t size, const char* name) {
  const Compared c =
      compare({options.runs(), options.runs(), 1}, tanggul_with(),
              [size](Subject& s, test::ScriptedOrigin& o) { return cut_body(s, o, size); });
  const std::string what = std::string("body of ") + name + " cut in half, 50 clients: ";
  add(musts, {.what = what + "slowest",
              .must = "≤ 2 s",
              .ours = ms(c.ours.median("slowest")),
              .peers = c.cells([](const Side& p) { return ms(p.median("slowest")); }),
              .met = c.ours.median("slowest") <= 2000});
  add(musts, {.what = what + "answers that look complete",
              .must = "0",
              .ours = number(c.ours.most("whole")),
              .peers = c.cells([](const Side& p) { return number(p.most("whole")); }),
              .met = c.ours.most("whole") == 0});
}

// Ten seconds of 500 requests a second on keys that nobody holds, and 50 a second on one that is.
Figures while_open(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set("/held", body_of(1000));
  test::get(subject.port(), "/o/held");
  origin.set_default(failing(503));
  test::burst(subject.port(), 25, [](std::size_t i) {
    return test::RequestSpec{.target = "/o/bad" + std::to_string(i)};
  });
  origin.reset_counts();
  const auto groups = run_paced(
      subject.port(),
      {.connections = 64,
       .rate = 550,
       .total = 5500,
       .target =
           [](std::uint64_t i) { return i % 11 == 0 ? "/o/held" : "/o/n" + std::to_string(i); },
       .group = [](std::uint64_t i) -> std::size_t { return i % 11 == 0 ? 1 : 0; },
       .groups = 2});
  const auto held = groups[1].by_status.find(200);
  return {{"requests", static_cast<double>(origin.requests())},
          {"held", held == groups[1].by_status.end() ? 0 : static_cast<double>(held->second)}};
}

// Five keys at once are five measurements.
Figures drip(Subject& subject, test::ScriptedOrigin& origin) {
  test::Script slow = faulty(test::Fault::drip, body_of(1000));
  slow.drip_interval = 10s;
  origin.set_default(slow);
  const auto results = test::burst(subject.port(), 5, [](std::size_t i) {
    return test::RequestSpec{.target = "/o/drip" + std::to_string(i), .deadline = 150s};
  });
  const double answered = slowest_ms(results);
  const MonoTime start = MonoClock::now();
  const auto& ours = dynamic_cast<const Tanggul&>(subject);
  while (ours.metric("tanggul_flights") > 0 && MonoClock::now() - start < 100s) {
  }
  return {{"ended", answered + in_ms(MonoClock::now() - start)},
          {"requests", static_cast<double>(origin.requests()) / 5}};
}

}  // namespace

void measure_waves_of_503(const Options& options, Table& musts) {
  const Compared c = compare({options.runs(), options.runs(), 1}, tanggul_with(), waves_of_503);
  const std::string what = "503 after 200 ms, three waves of 200: ";
  add(musts, {.what = what + "slowest of the first",
              .must = "≤ 1.5 s",
              .ours = ms(c.ours.median("first")),
              .peers = c.cells([](const Side& p) { return ms(p.median("first")); }),
              .met = c.ours.median("first") <= 1500});
  add(musts, {.what = what + "slowest after it",
              .must = "≤ 100 ms",
              .ours = ms(c.ours.median("later")),
              .peers = c.cells([](const Side& p) { return ms(p.median("later")); }),
              .met = c.ours.median("later") <= 100});
  add(musts, {.what = what + "requests at the origin",
              .must = "≤ 3",
              .ours = number(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) { return number(p.most("requests")); }),
              .met = c.ours.most("requests") <= 3});
}

void measure_never_answers(const Options& options, Table& musts) {
  const Compared c = compare({options.runs(), options.runs(), 1}, tanggul_with(), never_answers);
  add(musts, {.what = "the origin never answers, 200 clients: slowest",
              .must = "≤ 16 s",
              .ours = ms(c.ours.median("slowest")),
              .peers = c.cells([](const Side& p) { return ms(p.median("slowest")); }),
              .met = c.ours.median("slowest") <= 16'000});
  add(musts, {.what = "the same: requests at the origin",
              .must = "≤ 3",
              .ours = number(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) { return number(p.most("requests")); }),
              .met = c.ours.most("requests") <= 3});
}

void measure_cut_bodies(const Options& options, Table& musts) {
  add_cut_body(options, musts, 20'000, "20 kB");
  add_cut_body(options, musts, 20'000'000, "20 MB");
}

void measure_breaker(const Options& options, Table& musts) {
  const Compared c = compare({options.runs(), 1}, tanggul_with(), while_open);
  add(musts, {.what = "breaker open, 10 s of 500 requests/s on uncached keys: at the origin",
              .must = "≤ 1 (a probe)",
              .ours = number(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) { return number(p.most("requests")); }),
              .met = c.ours.most("requests") <= 1});
  add(musts, {.what = "the same: 500 requests for a key that is held, served",
              .must = "500",
              .ours = number(c.ours.least("held")),
              .peers = c.cells([](const Side& p) { return number(p.least("held")); }),
              .met = c.ours.least("held") == 500});
}

void measure_drip(const Options& options, Table& musts) {
  if (options.quick) return;
  const Compared c = compare({.ours = 1}, tanggul_with(), drip);
  add(musts, {.what = "the origin drips a byte in 10 s (five keys): the flight ends",
              .must = "≤ 40 s",
              .ours = ms(c.ours.median("ended")),
              .met = c.ours.median("ended") <= 40'000});
}

}  // namespace tanggul::bench
