// What the cluster costs: a hit, a lease.
#include <hiredis/hiredis.h>

#include <stdexcept>
#include <thread>

#include "adapters/redis/lane_ports.h"
#include "async/spawn.h"
#include "async/waiter.h"
#include "base/bytes.h"
#include "compare.h"
#include "cpu.h"
#include "measurements.h"
#include "nodes.h"
#include "scripts.h"
#include "wrk.h"

namespace tanggul::bench {
namespace {

constexpr Duration kSpan = 5s;

double commands_of(const Tanggul& node) { return node.metric("tanggul_redis_commands_total"); }

double cost_us(const Tanggul& node) {
  const Duration before = cpu_time(node.pids());
  const double requests = run_wrk(node.port(), {.target = node.at("/k")});
  return seconds(cpu_time(node.pids()) - before) * 1e6 / requests;
}

struct LeaseTimes {
  std::vector<double> set, acquire, renew, release;  // ms
};

// A SET by a blocking hiredis, then a lease taken, renewed and given back, in turn.
class LeaseClock {
 public:
  LeaseClock(const test::RedisServer& redis, int rounds)
      : redis_(redis), rounds_(rounds), blocking_(redisConnect("127.0.0.1", redis.port())) {
    if (blocking_ == nullptr || blocking_->err != 0) throw std::runtime_error("hiredis");
  }
  ~LeaseClock() { redisFree(blocking_); }
  LeaseClock(const LeaseClock&) = delete;
  LeaseClock& operator=(const LeaseClock&) = delete;

  LeaseTimes run() {
    MetricSet metrics;
    redis::RedisConfig config;
    std::string error;
    config.address = redis::RedisAddress::parse(redis_.url(), error).value();
    config.node = "bench";
    async::asio::io_context io{1};
    lane_ = redis::Lane::make(std::make_shared<redis::Core>(config, metrics), io.get_executor());
    const auto leases = redis::make_leases(lane_);
    lane_->start();
    bool ok = false;
    async::spawn(io.get_executor(), "lease clock",
                 measure(*leases, async::Waiter::make(io.get_executor()), ok));
    io.run();
    if (!ok) throw std::runtime_error("a lease was not had, or not kept");
    return std::move(times_);
  }

 private:
  using Acquired = ports::Acquired;

  Task<void> measure(ports::Leases& leases, async::WaiterPtr waiter, bool& ok) {
    ok = co_await warm(leases, *waiter);
    for (int i = 0; ok && i < rounds_; ++i)
      ok = co_await one(leases, "id" + std::to_string(i), waiter);
    lane_->close();
  }
  static ports::LeaseRequest request(const std::string& id) {
    return {.id = id, .token = "token", .holder = "http://127.0.0.1:8080/flight", .ttl = 30s};
  }
  // Until Redis is reached and has the scripts.
  static Task<bool> warm(ports::Leases& leases, async::Waiter& nap) {
    const MonoTime end = MonoClock::now() + 10s;
    for (int i = 0; MonoClock::now() < end; ++i) {
      ports::Patience patience(5s);
      const std::string id = "warm" + std::to_string(i);
      const auto got = co_await leases.acquire(request(id), patience);
      if (got.kind == Acquired::Kind::held) {
        co_await leases.renew(id, "token", 30s, patience);
        leases.release(id, "token");
        co_await leases.renew(id, "token", 30s, patience);
        co_return true;
      }
      co_await nap.wait_until(MonoClock::now() + 10ms);
    }
    co_return false;
  }
  // What release() does, with somebody who waits for the answer.
  Task<bool> give_back(const std::string& id, async::WaiterPtr waiter) {
    redis::Chore chore = redis::giving_back(lane_->keys(), id, "token", 5s);
    std::optional<bool> released;
    chore.then = [&](redis::Reply& reply) {
      released = reply.number == 1;
      waiter->wake();
    };
    const MonoTime end = MonoClock::now() + 5s;
    lane_->chore(std::move(chore));
    while (!released && MonoClock::now() < end) co_await waiter->wait_until(end);
    co_return released.value_or(false);
  }
  Task<bool> one(ports::Leases& leases, std::string id, async::WaiterPtr waiter) {
    ports::Patience patience(5s);
    const MonoTime a = MonoClock::now();
    freeReplyObject(redisCommand(blocking_, "SET %s %s", id.c_str(), "value"));
    const MonoTime b = MonoClock::now();
    const Acquired got = co_await leases.acquire(request(id), patience);
    const MonoTime c = MonoClock::now();
    const auto renewed = co_await leases.renew(id, "token", 30s, patience);
    const MonoTime d = MonoClock::now();
    const bool given_back = co_await give_back(id, waiter);
    const MonoTime e = MonoClock::now();
    // So that what Redis tells of the release falls into no measurement.
    const auto after = co_await leases.renew(id, "token", 30s, patience);
    times_.set.push_back(in_ms(b - a));
    times_.acquire.push_back(in_ms(c - b));
    times_.renew.push_back(in_ms(d - c));
    times_.release.push_back(in_ms(e - d));
    const bool held = got.kind == Acquired::Kind::held;
    const bool kept = renewed == ports::Leases::Renewal::held;
    const bool over = after == ports::Leases::Renewal::lost;
    co_return held&& kept&& given_back&& over;
  }

  const test::RedisServer& redis_;
  const int rounds_;
  redisContext* blocking_;
  std::shared_ptr<redis::Lane> lane_;
  LeaseTimes times_;
};

}  // namespace

void measure_cluster_hit(const Options& options, Table& musts) {
  const test::ScriptedOrigin origin(body_of(1_KiB));
  Nodes nodes(origin);
  const Tanggul alone(origin);
  cost_us(nodes[0]);
  cost_us(alone);
  double before = commands_of(nodes[0]);
  std::this_thread::sleep_for(kSpan);
  const double idle = commands_of(nodes[0]) - before;
  before = commands_of(nodes[0]);
  const double hits = run_wrk(nodes.port(0), {.target = nodes[0].at("/k"), .length = kSpan});
  const double busy = commands_of(nodes[0]) - before;
  add(musts, {.what = "5 s of warm hits: commands to Redis (hits · commands in 5 s without any)",
              .must = "none for a hit",
              .ours = number(busy) + " (" + number(hits) + " · " + number(idle) + ")",
              .peers = {},
              .met = busy <= idle + 2});  // the beat of one second falls in or out
  std::vector<double> ratios, ours, others;
  for (int round = 0; round < options.rounds(); ++round) {
    ours.push_back(cost_us(nodes[0]));
    others.push_back(cost_us(alone));
    ratios.push_back(ours.back() / others.back());
  }
  add(musts, {.what = "1 KiB hit of a node, CPU time beside a shield without a cluster (medians)",
              .must = "",
              .ours = printed("%.2f µs / ", median(ours)) + printed("%.2f µs, ", median(others)) +
                      ratio(median(ratios)),
              .peers = {},
              .met = true});
}

void measure_cluster_lease(const Options& options, Table& musts) {
  std::unique_ptr<test::RedisServer> redis;
  {
    const OnServerCpu here;
    redis = std::make_unique<test::RedisServer>();
  }
  const LeaseTimes t = LeaseClock(*redis, options.quick ? 500 : 5000).run();
  const double set = median(t.set);
  const auto add_one = [&](const std::string& what, const std::vector<double>& times, bool must) {
    const double one = median(times);
    add(musts, {.what = what + ", p50, beside a SET by hiredis",
                .must = must ? "≤ 1.5 ×" : "",
                .ours = printed("%.1f µs / ", one * 1e3) + printed("%.1f µs, ", set * 1e3) +
                        ratio(one / set),
                .peers = {},
                .met = !must || one <= 1.5 * set});
  };
  add_one("acquiring a lease", t.acquire, true);
  add_one("releasing it", t.release, true);
  add_one("renewing it", t.renew, false);
}

}  // namespace tanggul::bench
