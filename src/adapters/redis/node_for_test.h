#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/redis_cluster.h"
#include "async/spawn.h"
#include "support/redis_server.h"

namespace tanggul::redis {

namespace asio = async::asio;
using ports::Acquired;
using ports::Patience;

// What a node was told, written down.
struct Heard : ports::MembershipListener {
  void on_reach(bool reachable, const std::string& why) override {
    reach.emplace_back(reachable, why);
  }
  void on_nodes(std::size_t alive) override {
    if (alive < nodes) fewest = fewest == 0 ? alive : std::min(fewest, alive);
    nodes = alive;
  }
  void on_purges(const ports::PurgePlace& at, const std::vector<ports::SharedPurge>& some,
                 bool whole) override {
    place = at;
    for (const auto& p : some) purges.push_back(p);
    complete = complete && whole;
  }
  ports::PurgePlace purges_seen() const override { return place; }
  void on_breaker(const std::string& origin, const ports::BreakerView& view) override {
    breakers.emplace_back(origin, view);
  }
  void on_pause(const std::string& origin, const std::string& credential, Duration pause) override {
    pauses.push_back(origin + "/" + credential + "/" + std::to_string(seconds(pause)));
  }

  bool up() const { return !reach.empty() && reach.back().first; }
  bool down() const { return !reach.empty() && !reach.back().first; }

  std::vector<std::pair<bool, std::string>> reach;
  std::size_t nodes = 0;
  std::size_t fewest = 0;  // that it has fallen to; 0: it has only grown
  ports::PurgePlace place;
  std::vector<ports::SharedPurge> purges;
  bool complete = true;
  std::vector<std::pair<std::string, ports::BreakerView>> breakers;
  std::vector<std::string> pauses;
};

// Every limit that there is.
inline ports::SharedRules all_rules() {
  ports::SharedRules rules;
  rules.breaker = true;
  rules.window = 10s;
  rules.min_requests = 1;
  rules.failure_ratio = 0.5;
  rules.open_for = 1s;
  rules.probes = 1;
  rules.probe_lease = 1s;
  rules.concurrency = 2;
  rules.rate = 100;
  rules.daily = 100;
  return rules;
}

// Redis's adapter as one node has it, on the test's own loop.
struct Node {
  Node(asio::io_context& io, RedisConfig config)
      : cluster(RedisCluster::make(std::move(config), metrics)),
        lane(cluster->lane(io.get_executor())),
        member(cluster->join(io.get_executor(), heard)) {}

  double metric(std::string_view family, std::string_view label = {}) const {
    double value = -1;
    metrics.visit([&](const MetricSet::Family& f) {
      if (f.name != family) return;
      for (const auto& s : f.series) {
        if (!label.empty() && (s.labels.empty() || s.labels[0].second != label)) continue;
        value = s.counter ? static_cast<double>(s.counter->value()) : s.gauge->value();
      }
    });
    return value;
  }

  MetricSet metrics;
  Heard heard;
  std::unique_ptr<RedisCluster> cluster;
  RedisLane lane;
  std::unique_ptr<ports::Membership> member;
};

// A node on a loop of its own, which runs only while the test waits for it: left alone it is to all
// others as one that has died without leaving. At its end it is closed as it should be.
struct Apart {
  explicit Apart(RedisConfig config) : node(io, std::move(config)) {}
  ~Apart() {
    node.cluster->close();
    if (io.stopped()) io.restart();
    io.run_for(std::chrono::seconds(10));
    EXPECT_TRUE(io.stopped()) << "something still runs after close()";
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  template <class Condition>
  bool until(Condition condition) {
    const MonoTime end = MonoClock::now() + 20s;
    while (!condition() && MonoClock::now() < end) io.run_one_for(std::chrono::milliseconds(10));
    return condition();
  }
  ports::AttemptLeave ask(ports::AttemptAsk what) {
    std::optional<ports::AttemptLeave> leave;
    async::spawn(io.get_executor(), "ask", ask_for(*node.lane.limits, std::move(what), leave));
    EXPECT_TRUE(until([&] { return leave.has_value(); }));
    return leave.value_or(ports::AttemptLeave());
  }

  asio::io_context io{1};
  Node node;

 private:
  static Task<void> ask_for(ports::SharedLimits& limits, ports::AttemptAsk what,
                            std::optional<ports::AttemptLeave>& to) {
    Patience patience(5s);
    const auto leave = co_await limits.ask(std::move(what), patience);
    to = leave;
  }
};

// A test's loop, and nodes on it. At the end all nodes are closed and nothing is left running.
class RedisTest : public testing::Test {
 protected:
  static constexpr Duration kHang = 20s;  // a bound against hangs only

  RedisConfig config(const std::string& url, const std::string& name = "n1") {
    std::string error;
    const auto address = RedisAddress::parse(url, error);
    EXPECT_TRUE(address) << error;
    RedisConfig c;
    c.address = address.value_or(RedisAddress());
    c.node = name;
    return c;
  }
  Node& add_node(RedisConfig c) {
    nodes_.push_back(std::make_unique<Node>(io_, std::move(c)));
    return *nodes_.back();
  }
  // With a node that has reached Redis.
  Node& node_of(const test::RedisServer& redis, const std::string& name = "n1") {
    Node& node = add_node(config(redis.url(), name));
    EXPECT_TRUE(until([&] { return node.heard.up() && node.heard.nodes > 0; }));
    return node;
  }

  template <class Condition>
  bool until(Condition condition, Duration at_most = kHang) {
    const MonoTime end = MonoClock::now() + at_most;
    while (!condition()) {
      if (MonoClock::now() >= end) return false;
      if (io_.stopped()) io_.restart();
      io_.run_one_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  void run_for(Duration d) {
    until([] { return false; }, d);
  }
  template <class T>
  T await(Task<T> task) {
    std::optional<T> result;
    async::spawn(io_.get_executor(), "test", keep(std::move(task), result));
    EXPECT_TRUE(until([&] { return result.has_value(); }));
    return std::move(*result);
  }

  static ports::LeaseRequest request(std::string id, std::string token, Duration ttl = 30s) {
    return {.id = std::move(id), .token = token, .holder = "h:" + token, .ttl = ttl};
  }
  Acquired acquire(Node& node, ports::LeaseRequest r, Duration patience = 5s) {
    Patience p(patience);
    return await(node.lane.leases->acquire(std::move(r), p));
  }
  Acquired acquire(Node& node, const std::string& id, const std::string& token,
                   Duration ttl = 30s) {
    return acquire(node, request(id, token, ttl));
  }
  ports::SharedStore::Published publish(Node& node, ports::Publication what) {
    Patience p(5s);
    return await(node.lane.store->publish(std::move(what), p));
  }
  ports::SharedStore::Looked look(Node& node, const std::string& id) {
    Patience p(5s);
    return await(node.lane.store->look(id, p));
  }

  void close_all() {
    for (const auto& node : nodes_) node->cluster->close();
    if (io_.stopped()) io_.restart();
    io_.run_for(std::chrono::seconds(10));
    EXPECT_TRUE(io_.stopped()) << "something still runs after close()";
    nodes_.clear();
  }
  void TearDown() override {
    close_all();
    EXPECT_EQ(async::uncaught_total(), 0u);
  }

  asio::io_context io_{1};
  std::vector<std::unique_ptr<Node>> nodes_;

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& result) {
    T value = co_await std::move(task);
    result = std::move(value);
  }
};

}  // namespace tanggul::redis
