// What the library's parts cost by the call: single-flight beside what one would take otherwise,
// and the policies.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cpu.h"
#include "measurements.h"
#include "single_flight_peers.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "tanggul/flight/single_flight.h"
#include "tanggul/policy/breaker.h"
#include "tanggul/policy/concurrency_limit.h"
#include "tanggul/policy/rate_limit.h"
#include "tanggul/policy/retry_budget.h"
#include "tanggul/policy/xfetch.h"

namespace tanggul::bench {
namespace {

constexpr int kKeys = 1024;
constexpr double kMostOverFn = 250;  // ns

// ns of a call, as each thread sees it: all begin together, and each reads the clock by itself,
// since the one that started them may come to it late.
double ns_per_call(int threads, int calls, const std::function<void(int thread)>& body) {
  std::barrier together(threads);
  std::vector<double> took(static_cast<std::size_t>(threads));
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      pin_to(t);
      together.arrive_and_wait();
      const MonoTime begun = MonoClock::now();
      body(t);
      took[static_cast<std::size_t>(t)] = seconds(MonoClock::now() - begun) * 1e9 / calls;
    });
  }
  for (auto& thread : all) thread.join();
  return *std::max_element(took.begin(), took.end());
}

// The compiler may not know what becomes of it.
inline void used(int value) { asm volatile("" : : "r"(value) : "memory"); }

struct Case {
  const char* what;
  int threads;
  bool hot;
};
constexpr Case kCases[] = {
    {"1 thread, 1024 keys in turn", 1, false},
    {"2 threads, 1024 keys each", 2, false},
    {"2 threads, one key for both", 2, true},
};

std::vector<std::string> keys_of(int thread, bool hot) {
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i)
    keys.push_back("product:" + std::to_string(hot ? 0 : thread * kKeys + i));
  return keys;
}

template <class Run>
double flights_cost(const Case& c, int calls, const Run& run) {
  std::vector<std::vector<std::string>> keys;
  for (int t = 0; t < c.threads; ++t) keys.push_back(keys_of(t, c.hot));
  return ns_per_call(c.threads, calls, [&](int t) {
    const auto& own = keys[static_cast<std::size_t>(t)];
    for (int i = 0; i < calls; ++i) used(run(own[static_cast<std::size_t>(i % kKeys)]));
  });
}

int fn() {
  int value = 1;
  asm volatile("" : "+r"(value));
  return value;
}

class GoPeer {
 public:
  GoPeer() {
    const auto built =
        test::run_command({.args = {"go", "build", "-o", folder_.file("single_flight"),
                                    TANGGUL_BENCH_SOURCE "/peers/single_flight.go"},
                           .env = {{"GO111MODULE", "off"},
                                   {"GOPATH", "/usr/share/gocode"},
                                   {"GOCACHE", folder_.file("cache")},
                                   {"GOFLAGS", ""}}},
                          3min);
    if (built.status != 0) throw std::runtime_error("Go's could not be built: " + built.err);
  }
  double cost(const Case& c, int calls) const {
    const auto ran =
        test::run_command({.args = {folder_.file("single_flight"), std::to_string(c.threads),
                                    c.hot ? "hot" : "distinct", std::to_string(calls)}});
    if (ran.status != 0) throw std::runtime_error("Go's failed: " + ran.err);
    return std::stod(ran.out);
  }

 private:
  test::TempDir folder_;
};

std::string ns(double value) { return printed("%.0f ns", value); }

constexpr int kContenders = 5;

// All in turn, so that what the machine does meanwhile meets all of them.
void measure_flights(const Options& options, Table& table) {
  const GoPeer go;
  const int calls = options.quick ? 100'000 : 1'000'000;
  double alone = 0;  // one thread's
  for (const Case& c : kCases) {
    std::vector<double> took[kContenders];
    SingleFlight<std::string, int> ours;
    MutexAndMap mutex_and_map;
    FutureMap futures;
    for (int round = 0; round < options.rounds(); ++round) {
      took[0].push_back(flights_cost(c, calls, [](const std::string&) { return fn(); }));
      took[1].push_back(
          flights_cost(c, calls, [&](const std::string& key) { return *ours.run(key, fn); }));
      took[2].push_back(flights_cost(
          c, calls, [&](const std::string& key) { return mutex_and_map.run(key, fn); }));
      took[3].push_back(
          flights_cost(c, calls, [&](const std::string& key) { return futures.run(key, fn); }));
      took[4].push_back(go.cost(c, calls));
    }
    auto& row = table.rows.emplace_back(std::vector<std::string>{
        std::string("SingleFlight::run, a call: ") + c.what, c.threads == 1 ? "≤ 250 ns over fn"
                                                             : c.hot        ? ""
                                                                     : "< 2 × one thread's"});
    for (const auto& times : took) row.push_back(ns(median(times)));
    const double own = median(took[1]);
    if (c.threads == 1) alone = own;
    row.push_back(c.threads == 1 ? yes_no(own - median(took[0]) <= kMostOverFn)
                  : c.hot        ? ""
                                 : yes_no(own < 2 * alone));
  }
}

// A policy is a plain object; two threads need a mutex around it.
template <class Make>
void measure_policy(const Options& options, Table& table, const char* what, const Make& make) {
  const int calls = options.quick ? 100'000 : 1'000'000;
  std::vector<double> bare, guarded;
  for (int round = 0; round < options.rounds(); ++round) {
    auto decide = make();
    bare.push_back(ns_per_call(1, calls, [&](int) {
      for (int i = 0; i < calls; ++i) used(decide());
    }));
    std::mutex mutex;
    guarded.push_back(ns_per_call(2, calls, [&](int) {
      for (int i = 0; i < calls; ++i) {
        const std::lock_guard lock(mutex);
        used(decide());
      }
    }));
  }
  table.rows.push_back({what, ns(median(bare)), ns(median(guarded))});
}

Table policies(const Options& options) {
  using namespace policy;
  Table table{
      .title = "The library: policies",
      .note =
          "A decision with the clock's time read for it, as somebody's own code would: alone, "
          "and under one mutex that two threads contend for. Medians.",
      .columns = {"decision", "1 thread", "2 threads, one mutex"},
      .rows = {}};
  measure_policy(options, table, "Breaker: admit and record a success", [] {
    return [breaker = Breaker(BreakerConfig{}), rng = Rng(1)]() mutable {
      const MonoTime now = MonoClock::now();
      const auto admission = breaker.admit(now, rng);
      breaker.record(admission.ticket, BreakerSample::success, now, rng);
      return admission.admitted ? 1 : 0;
    };
  });
  measure_policy(options, table, "RateLimit: admit", [] {
    return
        [limit = RateLimit(1e6, 100)]() mutable { return limit.admit(MonoClock::now()) ? 1 : 0; };
  });
  measure_policy(options, table, "ConcurrencyLimit, adaptive: limit and sample", [] {
    return [limit = ConcurrencyLimit({.adaptive = true})]() mutable {
      limit.sample(10ms, limit.limit(), false);
      return limit.limit();
    };
  });
  measure_policy(options, table, "RetryBudget: attempt, reserve and release", [] {
    return [budget = RetryBudget()]() mutable {
      const MonoTime now = MonoClock::now();
      budget.attempt_started(now);
      const bool may = budget.reserve(now);
      if (may) budget.release();
      return may ? 1 : 0;
    };
  });
  measure_policy(options, table, "XFetch: refresh early, near the expiry", [] {
    return [expiry = wall_now() + 1h, rng = Rng(1)]() mutable {
      return refresh_early(expiry - 1s, expiry, 300ms, 1.0, rng) ? 1 : 0;
    };
  });
  return table;
}

}  // namespace

std::vector<Table> measure_library(const Options& options) {
  pin_to_all();
  Table flights{
      .title = "The library: single-flight",
      .note =
          "ns of a call as each thread sees it, medians of interleaved rounds; fn returns a "
          "number at once, keys are strings. With one key for both threads a call waits for the "
          "other "
          "or flies itself. *Mutex and map* and *shared_future map* are in "
          "bench/single_flight_peers.h; Go's is golang.org/x/sync/singleflight, two goroutines on "
          "two "
          "threads. None of the peers lets a waiter leave at a deadline.",
      .columns = {"measured", "must", "fn alone", "tanggul", "mutex and map", "shared_future map",
                  "Go", "met"},
      .rows = {}};
  measure_flights(options, flights);
  std::vector<Table> tables{flights, policies(options)};
  pin_to(kLoadCpu);
  return tables;
}

}  // namespace tanggul::bench
