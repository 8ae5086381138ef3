// Three shields on a real Redis that is there and no good: slow, full, or read-only.
#include <atomic>
#include <boost/asio/post.hpp>

#include "adapters/redis/slow_proxy_for_test.h"
#include "scenario/cluster.h"

namespace tanggul::test {
namespace {

// Against hangs: a miss waits for Redis a tenth of a second at most.
constexpr Duration kNoHang = 5s;

// Stands before Redis, on a thread of its own.
class Relay {
 public:
  explicit Relay(std::uint16_t to)
      : proxy_(io_, to, Duration::zero()), url_(proxy_.url()), thread_([this] { io_.run(); }) {}
  ~Relay() {
    io_.stop();
    thread_.join();
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  const std::string& url() const { return url_; }
  void set_late(Duration late) {
    boost::asio::post(io_, [this, late] { proxy_.set_late(late); });
  }

 private:
  boost::asio::io_context io_{1};
  redis::SlowProxy proxy_;
  const std::string url_;
  std::thread thread_;
};

// What is asked of three nodes while Redis is bad: what they have is served from there, and what
// they have not each fetches by itself.
class Service {
 public:
  explicit Service(const std::string& redis_url) : nodes(origin, {.redis = redis_url}) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(nodes[i].get("/o/kept").status, 200);
    EXPECT_EQ(origin.requests("/kept"), 1U);
  }

  void expect_through(const char* what) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, what);
    expect_served(std::string(what) + "-at-first");
    EXPECT_TRUE(nodes.reach_all(false));
    expect_served(std::string(what) + "-then");
  }

  void expect_recovery() {
    EXPECT_TRUE(nodes.reach_all(true));
    nodes.await_nodes(3);
    EXPECT_EQ(with_status(nodes.herd(20, asking("/o/again")), 200), 60U);
    EXPECT_EQ(origin.requests("/again"), 1U);
    EXPECT_EQ(origin.requests("/kept"), 1U);
    nodes.expect_calm_ones();
  }

  ScriptedOrigin origin{body_of(1000)};
  Nodes nodes;

 private:
  void expect_served(const std::string& fresh_name) {
    EXPECT_EQ(with_status(nodes.herd(50, asking("/o/kept")), 200), 150U);
    const auto same = nodes.herd(20, asking("/o/" + fresh_name));
    EXPECT_EQ(with_status(same, 200), 60U);
    EXPECT_LT(slowest(same), kNoHang);
    EXPECT_LE(origin.requests("/" + fresh_name), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto each = burst(nodes[i].port(), 20, [&](std::size_t k) {
        return asking("/o/" + fresh_name + std::to_string(20 * i + k));
      });
      EXPECT_EQ(with_status(each, 200), 20U) << i;
      EXPECT_LT(slowest(each), kNoHang);
    }
  }
};

TEST(ClusterRedis, ThatAnswersLateKeepsNobodyFromAnything) {
  const RedisServer redis;
  Relay relay(redis.port());
  Service service(relay.url());
  relay.set_late(500ms);
  service.expect_through("late");
  relay.set_late(0ms);
  service.expect_recovery();
}

TEST(ClusterRedis, ThatIsFullKeepsNobodyFromAnything) {
  const RedisServer redis({.max_memory = "100mb"});
  Service service(redis.url());
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  service.expect_through("full");
  redis.command({"CONFIG", "SET", "maxmemory", "100mb"});
  service.expect_recovery();
}

TEST(ClusterRedis, ThatHasBecomeAReplicaKeepsNobodyFromAnything) {
  const RedisServer redis;
  Service service(redis.url());
  redis.command({"REPLICAOF", "127.0.0.1", "1"});
  service.expect_through("replica");
  redis.command({"REPLICAOF", "NO", "ONE"});
  service.expect_recovery();
}

// As by a balancer between that ends connections when it pleases.
TEST(ClusterRedis, ThatCutsItsConnectionsAgainAndAgainKeepsNobodyFromAnything) {
  const RedisServer redis;
  Service service(redis.url());
  std::atomic<bool> over{false};
  std::thread killer([&] {
    while (!over) {
      redis.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
      redis.command({"CLIENT", "KILL", "TYPE", "pubsub"});
      std::this_thread::sleep_for(20ms);
    }
  });
  service.expect_through("cut");
  over = true;
  killer.join();
  service.expect_recovery();
}

// Each node has a line of its own of those who wait for the cluster's leave when that goes away.
class ClusterRedisLimit : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kAtOnce = 6, kPart = 2;

  ClusterRedisLimit() {
    Script slow = body_of(1000);
    slow.delay_head = 300ms;
    origin_.set_default(slow);
  }
  // While `trouble` befalls Redis.
  void expect_at_once(const std::function<void(RedisServer&)>& trouble, std::uint64_t most) {
    Cluster cluster(origin_, "    limit: { concurrency: 6, queue: 1000, queue_wait: 60s }\n");
    std::vector<std::thread> herds;
    for (std::size_t i = 0; i < 3; ++i) {
      herds.emplace_back([&, i] {
        const auto all = burst(cluster[i].port(), 15, [&](std::size_t k) {
          return asking("/o/" + std::to_string(i) + "-" + std::to_string(k));
        });
        EXPECT_EQ(with_status(all, 200), 15U) << i;
      });
    }
    EXPECT_TRUE(eventually([&] { return origin_.requests() >= 8; }));
    trouble(cluster.redis);
    for (auto& herd : herds) herd.join();
    EXPECT_EQ(origin_.requests(), 45U);
    EXPECT_LE(origin_.max_concurrent(), most);
  }

  ScriptedOrigin origin_;
};

// What had the cluster's leave goes on beside the parts of the nodes.
TEST_F(ClusterRedisLimit, IsEachNodesPartFromTheMomentInWhichConnectionsAreCut) {
  const auto cut = [](RedisServer& redis) {
    for (int i = 0; i < 4; ++i) {
      redis.command({"CLIENT", "KILL", "TYPE", "normal"});
      std::this_thread::sleep_for(200ms);
    }
  };
  expect_at_once(cut, kAtOnce + 3 * kPart);
}

TEST_F(ClusterRedisLimit, IsEachNodesPartFromTheMomentInWhichRedisIsKilled) {
  expect_at_once([](RedisServer& redis) { redis.kill(); }, kAtOnce + 2 * kPart);
}

}  // namespace
}  // namespace tanggul::test
