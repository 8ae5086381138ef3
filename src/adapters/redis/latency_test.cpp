#include <hiredis/hiredis.h>

#include <algorithm>
#include <cstdio>

#include "adapters/redis/node_for_test.h"

namespace tanggul::redis {
namespace {

class RedisLatency : public RedisTest {
 protected:
  static constexpr int kRounds = 2000;

  static Duration median(std::vector<Duration>& all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
  static Task<bool> measure(Node& node, redisContext* blocking, std::vector<Duration>& set,
                            std::vector<Duration>& acquire, std::vector<Duration>& renew) {
    for (int i = 0; i < kRounds; ++i) {
      const std::string id = "id" + std::to_string(i);
      const MonoTime a = MonoClock::now();
      freeReplyObject(redisCommand(blocking, "SET %s %s", id.c_str(), "value"));
      const MonoTime b = MonoClock::now();
      Patience p(5s);
      const Acquired got = co_await node.lane.leases->acquire(request(id, "token"), p);
      const MonoTime c = MonoClock::now();
      if (got.kind != Acquired::Kind::held) co_return false;
      const auto held = co_await node.lane.leases->renew(id, "token", 30s, p);
      const MonoTime d = MonoClock::now();
      if (held != ports::Leases::Renewal::held) co_return false;
      node.lane.leases->release(id, "token");
      // So that what the release leads to falls into no measurement.
      for (int round = 0; round < 2; ++round) co_await node.lane.leases->renew(id, "token", 30s, p);
      set.push_back(b - a);
      acquire.push_back(c - b);
      renew.push_back(d - c);
    }
    co_return true;
  }
};

// Each is one round trip. The ratio that counts is measured by a benchmark; this bound is three
// times as wide.
TEST_F(RedisLatency, OfALeaseIsThatOfOneRoundTrip) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  redisContext* blocking = redisConnect("127.0.0.1", redis.port());
  ASSERT_TRUE(blocking != nullptr && blocking->err == 0);
  std::vector<Duration> set, acquire, renew;
  const double before = node.metric("tanggul_redis_commands_total");
  EXPECT_TRUE(await(measure(node, blocking, set, acquire, renew)));
  redisFree(blocking);
  const double commands = node.metric("tanggul_redis_commands_total") - before;
  EXPECT_LT(commands, 5 * kRounds + 200);  // and the node's own once a second
  const double s = seconds(median(set)), a = seconds(median(acquire)), r = seconds(median(renew));
  std::printf("SET %.1f us, acquire %.1f us (%.2f), renew %.1f us (%.2f)\n", s * 1e6, a * 1e6,
              a / s, r * 1e6, r / s);
  EXPECT_LT(a, 4.5 * s);
  EXPECT_LT(r, 4.5 * s);
}

}  // namespace
}  // namespace tanggul::redis
