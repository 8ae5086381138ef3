// A row of a database that everybody wants, rows that nobody wants twice, and queries that fail or
// hang.
#include <algorithm>

#include "compare.h"
#include "cpu.h"
#include "measurements.h"
#include "paced_load.h"
#include "scripts.h"
#include "support/eventually.h"
#include "support/http_client.h"
#include "support/products_database.h"

namespace tanggul::bench {
namespace {

// Ourselves before a PostgreSQL, which has the load's CPU as other origins do.
class TanggulSql : public Subject {
 public:
  TanggulSql(std::string_view condition, std::string_view keys, std::string_view top,
             bool counts = true)
      : database_(counts) {
    const OnServerCpu here;
    std::string yaml = database_.yaml(condition, keys, top);
    yaml.replace(yaml.find("access_log: text"), 16, "access_log: off");
    process_ = std::make_unique<test::TanggulProcess>("threads: 1\n" + yaml);
  }
  std::uint16_t port() const override { return process_->port(); }
  std::vector<pid_t> pids() const override { return {process_->process().pid()}; }
  std::string at(std::string_view path) const override { return "/products" + std::string(path); }
  double metric(std::string_view series) const { return process_->metric(series); }
  test::ProductsDatabase& database() { return database_; }

 private:
  test::ProductsDatabase database_;
  std::unique_ptr<test::TanggulProcess> process_;
};

StartSubject sql_with(std::string condition, std::string keys = "", std::string top = "",
                      bool counts = true) {
  return [=](const test::ScriptedOrigin&) {
    return std::make_unique<TanggulSql>(condition, keys, top, counts);
  };
}

double slowest_ms(const std::vector<test::ClientResult>& results) {
  Duration most{};
  for (const auto& r : results)
    if (!r.left) most = std::max(most, r.total);
  return in_ms(most);
}

double with_status(const std::vector<test::ClientResult>& results, int status) {
  return static_cast<double>(test::count_if(
      results, [&](const test::ClientResult& r) { return r.status == status && r.complete; }));
}

constexpr Duration kQuery = 300ms;
constexpr std::size_t kHerd = 2000;

// For a peer, an HTTP origin that takes as long stands where the database is.
double asked(Subject& subject, const test::ScriptedOrigin& origin) {
  auto* ours = dynamic_cast<TanggulSql*>(&subject);
  return static_cast<double>(ours != nullptr ? ours->database().queries() : origin.requests());
}

Figures herd(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set("/1", after(kQuery, body_of(50, "max-age=1")));
  const auto cold = test::burst(subject.port(), kHerd, {.target = subject.at("/1")});
  const MonoTime over = MonoClock::now() + 1200ms;
  const double queries = asked(subject, origin);
  (void)test::eventually([&] { return MonoClock::now() >= over; });
  const auto expired = test::burst(subject.port(), kHerd, {.target = subject.at("/1")});
  Figures figures{{"cold", slowest_ms(cold)},
                  {"expired", slowest_ms(expired)},
                  {"whole", std::min(with_status(cold, 200), with_status(expired, 200))},
                  {"cold_queries", queries},
                  {"expired_queries", asked(subject, origin) - queries}};
  if (auto* ours = dynamic_cast<TanggulSql*>(&subject)) {
    figures["sessions"] = static_cast<double>(ours->database().sessions());
    figures["refused"] = ours->metric("tanggul_limit_refused_total");
  }
  return figures;
}

Figures leaver(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set("/1", after(kQuery, body_of(50)));
  const auto results = test::burst(subject.port(), kHerd, [&](std::size_t i) {
    test::RequestSpec spec{.target = subject.at("/1")};
    if (i == 0) spec.leave_after = 100ms;
    return spec;
  });
  return {{"slowest", slowest_ms(results)},
          {"whole", with_status(results, 200)},
          {"queries", asked(subject, origin)}};
}

Figures hangs(Subject& subject, test::ScriptedOrigin&) {
  auto& ours = dynamic_cast<TanggulSql&>(subject);
  const auto results = test::burst(subject.port(), 500, {.target = subject.at("/1")});
  const MonoTime answered = MonoClock::now();
  const bool cancelled = test::eventually([&] { return ours.database().active() == 0; });
  const double until = in_ms(MonoClock::now() - answered);
  const bool whole = test::eventually([&] {
    return ours.metric("tanggul_sql_pool{state=\"busy\"}") == 0 &&
           ours.metric("tanggul_sql_pool{state=\"idle\"}") == 1;
  });
  return {{"slowest", slowest_ms(results)},
          {"late", with_status(results, 504)},
          {"queries", static_cast<double>(ours.database().queries())},
          {"cancelled", cancelled ? until : 1e9},
          {"whole", whole ? 1.0 : 0.0}};
}

Figures fails(Subject& subject, test::ScriptedOrigin&) {
  auto& ours = dynamic_cast<TanggulSql&>(subject);
  ours.database().sql("CREATE TABLE health(divisor integer); INSERT INTO health VALUES (0)");
  const auto results = test::burst(subject.port(), 500, {.target = subject.at("/1")});
  const auto queries = static_cast<double>(ours.database().queries());
  ours.database().sql("UPDATE health SET divisor = 1");
  return {{"failed", with_status(results, 500)},
          {"queries", queries},
          {"next", static_cast<double>(test::get(subject.port(), subject.at("/1")).status)}};
}

constexpr double kHotRate = 2000, kHotSeconds = 15;

// TTL 3 s and no jitter, so that some expiries fall into the run; the query takes 100 ms.
Figures hot(Subject& subject, test::ScriptedOrigin&) {
  auto& ours = dynamic_cast<TanggulSql&>(subject);
  test::get(subject.port(), subject.at("/1"));
  const auto groups =
      run_paced(subject.port(), {.connections = 64,
                                 .rate = kHotRate,
                                 .total = static_cast<std::uint64_t>(kHotRate * kHotSeconds),
                                 .target = [&](std::uint64_t) { return subject.at("/1"); }});
  const auto& latencies = groups[0].latencies_ms;
  const auto good = groups[0].by_status.find(200);
  return {
      {"queries", static_cast<double>(ours.database().queries())},
      {"sessions", static_cast<double>(ours.database().sessions())},
      {"not_hits", kHotRate * kHotSeconds - ours.metric("tanggul_requests_total{result=\"hit\"}")},
      {"good", good == groups[0].by_status.end() ? 0 : static_cast<double>(good->second)},
      {"p99", quantile(latencies, 0.99)},
      {"slowest", quantile(latencies, 1)}};
}

Figures distinct(Subject& subject, double ids) {
  auto& ours = dynamic_cast<TanggulSql&>(subject);
  // Every second one is there.
  ours.database().sql(
      "INSERT INTO products SELECT n::text, 'Product ' || n, 1 FROM generate_series(0, " +
      number(ids) + ", 2) n ON CONFLICT DO NOTHING; DELETE FROM products WHERE id::int % 2 = 1");
  const MonoTime start = MonoClock::now();
  const auto groups =
      run_paced(subject.port(),
                {.connections = 200,
                 .rate = 5000,
                 .total = static_cast<std::uint64_t>(ids),
                 .target = [&](std::uint64_t i) { return subject.at("/" + std::to_string(i)); }});
  const double took = seconds(MonoClock::now() - start);
  const auto with = [&](int status) {
    const auto it = groups[0].by_status.find(status);
    return it == groups[0].by_status.end() ? 0 : static_cast<double>(it->second);
  };
  return {{"rows", with(200)},
          {"none", with(404)},
          {"rate", ids / took},
          {"flights", ours.metric("tanggul_flights")},
          {"cache", ours.metric("tanggul_cache_bytes{tier=\"memory\"}")},
          {"evictions", ours.metric("tanggul_cache_evictions_total{tier=\"memory\"}")},
          {"rss", static_cast<double>(subject.peak_rss())}};
}

std::string queries_cell(double n) { return number(n) + (n == 1 ? " query" : " queries"); }

}  // namespace

Table sql_table() {
  Table table = musts_table("A database");
  table.note =
      "Ours before a real PostgreSQL, pool 8; the peers, which speak no SQL, before an HTTP origin "
      "that takes as long; of these nginx and Varnish serve what has expired while they ask. Each "
      "run has a fresh process, cache and database. Times are medians, counts the worst run.";
  return table;
}

void measure_sql_herd(const Options& options, Table& musts) {
  const Compared c =
      compare({options.runs(), options.runs(), options.peer_runs()},
              sql_with(" AND pg_sleep(0.3) IS NOT NULL",
                       "    ttl: 1s\n    ttl_jitter: 0s\n    stale_while_revalidate: 0s\n"
                       "    early_refresh_beta: 0\n"),
              herd);
  for (const char* what : {"cold", "expired"}) {
    const std::string queries = std::string(what) + "_queries";
    add(musts, {.what = std::string("2000 requests at once for a row, ") +
                        (what[0] == 'c' ? "cold" : "expired, stale-while-revalidate off") +
                        ", query 300 ms: slowest · queries",
                .must = "≤ 450 ms · 1",
                .ours = ms(c.ours.median(what)) + " · " + number(c.ours.most(queries)),
                .peers = c.cells([&](const Side& p) {
                  const double good = p.least("whole");
                  return ms(p.median(what)) + " · " + number(p.most(queries)) +
                         (good < kHerd ? " (" + number(good) + " whole)" : "");
                }),
                .met = c.ours.median(what) <= 450 && c.ours.most(queries) == 1 &&
                       c.ours.least("whole") == kHerd});
  }
  add(musts, {.what = "the same: all 200 · connections of 8 · refused",
              .must = "2000 · ≤ 8 · 0",
              .ours = number(c.ours.least("whole")) + " · " + number(c.ours.most("sessions")) +
                      " · " + number(c.ours.most("refused")),
              .peers = {},
              .met = c.ours.least("whole") == kHerd && c.ours.most("sessions") <= 8 &&
                     c.ours.most("refused") == 0});
}

void measure_sql_leaver(const Options& options, Table& musts) {
  const Compared c = compare({options.runs(), options.runs(), options.peer_runs()},
                             sql_with(" AND pg_sleep(0.3) IS NOT NULL"), leaver);
  add(musts, {.what = "the first of 2000 leaves after 100 ms: queries · others answered · slowest",
              .must = "1 · 1999",
              .ours = number(c.ours.most("queries")) + " · " + number(c.ours.least("whole")) +
                      " · " + ms(c.ours.median("slowest")),
              .peers = c.cells([](const Side& p) {
                return number(p.most("queries")) + " · " + number(p.least("whole")) + " · " +
                       ms(p.median("slowest"));
              }),
              .met = c.ours.most("queries") == 1 && c.ours.least("whole") == kHerd - 1});
}

void measure_sql_hangs(const Options& options, Table& musts) {
  const Compared c = compare({options.runs()}, sql_with(" AND pg_sleep(600) IS NOT NULL"), hangs);
  add(musts, {.what = "a query that hangs under 500 callers: slowest 504 · queries",
              .must = "≤ 3100 ms · 1",
              .ours = ms(c.ours.median("slowest")) + " · " + number(c.ours.most("queries")),
              .peers = {},
              .met = c.ours.median("slowest") <= 3100 && c.ours.least("late") == 500 &&
                     c.ours.most("queries") == 1});
  add(musts, {.what = "the same: gone from pg_stat_activity after the last answer · pool whole",
              .must = "cancelled · yes",
              .ours = ms(c.ours.median("cancelled")) + " · " + yes_no(c.ours.least("whole") == 1),
              .peers = {},
              .met = c.ours.most("cancelled") < 1e9 && c.ours.least("whole") == 1});
}

void measure_sql_failing(const Options& options, Table& musts) {
  const Compared c =
      compare({options.runs()},
              sql_with(" AND 1 / (SELECT divisor FROM health, pg_sleep(0.3)) = 1"), fails);
  add(musts, {.what = "a query that fails under 500 callers: 500s · queries · the next request",
              .must = "500 · 1 · 200",
              .ours = number(c.ours.least("failed")) + " · " + number(c.ours.most("queries")) +
                      " · " + number(c.ours.most("next")),
              .peers = {},
              .met = c.ours.least("failed") == 500 && c.ours.most("queries") == 1 &&
                     c.ours.most("next") == 200 && c.ours.least("next") == 200});
}

void measure_sql_hot(const Options& options, Table& musts) {
  const Compared c =
      compare({options.quick ? 1 : 3},
              sql_with(" AND pg_sleep(0.1) IS NOT NULL", "    ttl: 3s\n    ttl_jitter: 0s\n"), hot);
  add(musts,
      {.what = "a row at 2000/s for 15 s, TTL 3 s, query 100 ms: queries · not served as fresh · "
               "connections",
       .must = "≥ 5 · 0 · 1",
       .ours = queries_cell(c.ours.median("queries")) + " · " + number(c.ours.most("not_hits")) +
               " · " + number(c.ours.most("sessions")),
       .peers = {},
       .met = c.ours.least("queries") >= 5 && c.ours.most("not_hits") == 0 &&
              c.ours.most("sessions") == 1});
  add(musts, {.what = "the same: p99 · slowest answer",
              .must = "nobody waits for a query",
              .ours = ms(c.ours.median("p99")) + " · " + ms(c.ours.median("slowest")),
              .peers = {},
              .met = c.ours.median("slowest") < 100});
}

void measure_sql_ids(const Options& options, Table& musts) {
  const double ids = options.quick ? 50'000 : 1'000'000;
  const Compared c =
      compare({1},
              sql_with("", "    pool: 8\n    limit: { queue: 10000, queue_wait: 3s }\n",
                       "cache: { memory: 64MiB }\n", false),
              [ids](Subject& s, test::ScriptedOrigin&) { return distinct(s, ids); });
  add(musts, {.what = number(ids) + " ids that nobody asks for twice, 5000/s: rows · 404 · rate",
              .must = "half each",
              .ours = number(c.ours.least("rows")) + " · " + number(c.ours.least("none")) + " · " +
                      number(c.ours.median("rate")) + "/s",
              .peers = {},
              .met = c.ours.least("rows") == ids / 2 && c.ours.least("none") == ids / 2});
  add(musts, {.what = "the same: flights left · cache of 64 MiB · evicted · peak RSS",
              .must = "0 · ≤ 64 MiB",
              .ours = number(c.ours.most("flights")) + " · " + mib(c.ours.most("cache")) + " · " +
                      number(c.ours.most("evictions")) + " · " + mib(c.ours.most("rss")),
              .peers = {},
              .met = c.ours.most("flights") == 0 && c.ours.most("cache") <= 64 << 20});
}

}  // namespace tanggul::bench
