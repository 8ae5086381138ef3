// Many clients, one key; and the opposite, many keys once.
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "compare.h"
#include "measurements.h"
#include "paced_load.h"
#include "scripts.h"
#include "sockets.h"
#include "support/http_client.h"

namespace tanggul::bench {
namespace {

double slowest_ms(const std::vector<test::ClientResult>& results) {
  Duration most{};
  for (const auto& r : results) {
    if (!r.left) most = std::max(most, r.total);
  }
  return in_ms(most);
}

double whole(const std::vector<test::ClientResult>& results) {
  return static_cast<double>(test::count_if(
      results, [](const test::ClientResult& r) { return r.status == 200 && r.complete; }));
}

std::string requests_cell(double n) { return number(n) + (n == 1 ? " request" : " requests"); }

Figures ask_together(Subject& subject, test::ScriptedOrigin& origin, std::size_t n,
                     std::optional<Duration> first_leaves) {
  origin.set("/a", after(1s, dated(body_of(20'000))));
  const auto results = test::burst(subject.port(), n, [&](std::size_t i) {
    test::RequestSpec spec{.target = subject.at("/a")};
    if (i == 0) spec.leave_after = first_leaves;
    return spec;
  });
  return {{"slowest", slowest_ms(results)},
          {"requests", static_cast<double>(origin.requests())},
          {"whole", whole(results)}};
}

void add_herd(Table& musts, const Compared& c, const std::string& what, double clients,
              double limit_ms) {
  add(musts, {.what = what + ": last byte of the last client",
              .must = "≤ " + number(limit_ms) + " ms",
              .ours = ms(c.ours.median("slowest")),
              .peers = c.cells([&](const Side& p) {
                const double good = p.least("whole");
                return ms(p.median("slowest")) +
                       (good < clients ? ", " + number(good) + " whole" : "");
              }),
              .met = c.ours.median("slowest") <= limit_ms && c.ours.least("whole") == clients});
  add(musts, {.what = what + ": at the origin",
              .must = "1 request",
              .ours = requests_cell(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) { return requests_cell(p.most("requests")); }),
              .met = c.ours.most("requests") == 1});
}

// Until the open files are as few as before, with a little room for the origin's connections.
double ms_until_files(const Subject& subject, std::size_t before) {
  const MonoTime start = MonoClock::now();
  while (subject.open_files() > before + 8 && MonoClock::now() - start < 15s) {
  }
  return in_ms(MonoClock::now() - start);
}

Figures all_leave(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set("/a", after(3s, body_of(20'000)));
  const auto rss_before = static_cast<double>(subject.rss());
  const std::size_t files_before = subject.open_files();
  Sockets clients(subject.port(), 1000);
  const std::string request = get_request(subject.port(), subject.at("/a"));
  for (std::size_t i = 0; i < clients.size(); ++i) {
    ::send(clients[i], request.data(), request.size(), MSG_NOSIGNAL);
  }
  std::this_thread::sleep_for(500ms);
  const auto rss_waiting = static_cast<double>(subject.rss());
  clients.close_all();
  const MonoTime left = MonoClock::now();
  const double gone = ms_until_files(subject, files_before);
  std::this_thread::sleep_for(std::max<Duration>(100ms - (MonoClock::now() - left), 0ms));
  return {{"gone", gone},
          {"rss_before", rss_before},
          {"rss_waiting", rss_waiting},
          {"rss_after", static_cast<double>(subject.rss())}};
}

std::string memory_cell(const Side& side) {
  return mib(side.median("rss_before")) + " → " + mib(side.median("rss_waiting")) + " → " +
         mib(side.median("rss_after"));
}

Figures unique_keys(Subject& subject, test::ScriptedOrigin& origin, std::uint64_t keys) {
  origin.set_default(body_of(1000));
  const MonoTime start = MonoClock::now();
  const auto groups =
      run_paced(subject.port(), {.connections = 2000, .total = keys, .target = [](std::uint64_t i) {
                                   return "/o/k" + std::to_string(i);
                                 }});
  const auto it = groups[0].by_status.find(200);
  Figures figures{{"good", it == groups[0].by_status.end() ? 0 : static_cast<double>(it->second)},
                  {"requests", static_cast<double>(origin.requests())},
                  {"seconds", seconds(MonoClock::now() - start)},
                  {"peak_rss", static_cast<double>(subject.peak_rss())}};
  if (const auto* ours = dynamic_cast<const Tanggul*>(&subject)) {
    figures["flights"] = ours->metric("tanggul_flights");
    figures["cache"] = ours->metric("tanggul_cache_bytes{tier=\"memory\"}");
  }
  return figures;
}

}  // namespace

void measure_misses(const Options& options, Table& musts) {
  const Compared c =
      compare({options.runs(), options.runs(), options.peer_runs()}, tanggul_with(),
              [](Subject& s, test::ScriptedOrigin& o) { return ask_together(s, o, 1000, {}); });
  add_herd(musts, c, "1000 misses of a 20 kB key, origin takes 1 s", 1000, 1150);
}

void measure_leaver(const Options& options, Table& musts) {
  const Compared c =
      compare({options.runs(), options.runs(), options.peer_runs()}, tanggul_with(),
              [](Subject& s, test::ScriptedOrigin& o) { return ask_together(s, o, 200, 200ms); });
  add_herd(musts, c, "the first of 200 leaves after 200 ms", 199, 1100);
}

void measure_all_leave(const Options& options, Table& musts) {
  const Compared c = compare({options.runs(), options.runs()}, tanggul_with(), all_leave);
  add(musts, {.what = "1000 waiters of a key leave at once: their sockets are back",
              .must = "≤ 100 ms",
              .ours = ms(c.ours.median("gone")),
              .peers = c.cells([](const Side& p) { return ms(p.median("gone")); }),
              .met = c.ours.median("gone") <= 100});
  add(musts, {.what = "the same: memory before → waiting → 100 ms after",
              .must = "after ≤ waiting",
              .ours = memory_cell(c.ours),
              .peers = c.cells(memory_cell),
              .met = c.ours.median("rss_after") <= c.ours.median("rss_waiting") * 1.05});
}

void measure_unique_keys(const Options& options, Table& musts) {
  const std::uint64_t keys = options.quick ? 10'000 : 100'000;
  const auto n = static_cast<double>(keys);
  const Compared c =
      compare({options.quick ? 1 : 3, 1},
              tanggul_with("    limit: { concurrency: 500, queue: 200000, queue_wait: 120s }\n",
                           "cache: { memory: 64MiB }\n"),
              [keys](Subject& s, test::ScriptedOrigin& o) { return unique_keys(s, o, keys); });
  const std::string what = number(n) + " unique keys, 2000 at a time";
  add(musts, {.what = what + ": at the origin",
              .must = number(n) + ", all answered",
              .ours = requests_cell(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) { return requests_cell(p.most("requests")); }),
              .met = c.ours.most("requests") == n && c.ours.least("good") == n});
  add(musts, {.what = what + ": flights left · cache in memory · peak RSS",
              .must = "0 · ≤ 64 MiB",
              .ours = number(c.ours.most("flights")) + " · " + mib(c.ours.most("cache")) + " · " +
                      mib(c.ours.most("peak_rss")),
              .peers = c.cells([](const Side& p) { return "– · – · " + mib(p.most("peak_rss")); }),
              .met = c.ours.most("flights") == 0 && c.ours.most("cache") <= 64 << 20});
  add(musts, {.what = what + ": time for all",
              .must = "",
              .ours = number(c.ours.median("seconds")) + " s",
              .peers = c.cells([](const Side& p) { return number(p.median("seconds")) + " s"; }),
              .met = true});
}

}  // namespace tanggul::bench
