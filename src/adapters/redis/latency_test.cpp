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
                            std::vector<Duration>& acquire, std::vector<Duration>& renew,
                            std::vector<Duration>& release) {
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
      // Nobody is told of a release: what is asked behind it is answered after it.
      const auto after = co_await node.lane.leases->renew(id, "token", 30s, p);
      const MonoTime e = MonoClock::now();
      if (after != ports::Leases::Renewal::lost) co_return false;
      // So that the message of the release falls into no measurement.
      co_await node.lane.leases->renew(id, "token", 30s, p);
      set.push_back(b - a);
      acquire.push_back(c - b);
      renew.push_back(d - c);
      release.push_back(e - d);
    }
    co_return true;
  }
};

// Each costs one command; the times are printed, and bounded against hangs only. What a lease costs
// beside a SET is for a benchmark to say.
TEST_F(RedisLatency, OfALeaseIsThatOfOneRoundTrip) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  redisContext* blocking = redisConnect("127.0.0.1", redis.port());
  ASSERT_TRUE(blocking != nullptr && blocking->err == 0);
  std::vector<Duration> set, acquire, renew, release;
  const double before = node.metric("tanggul_redis_commands_total");
  EXPECT_TRUE(await(measure(node, blocking, set, acquire, renew, release)));
  redisFree(blocking);
  const double commands = node.metric("tanggul_redis_commands_total") - before;
  EXPECT_LT(commands, 5 * kRounds + 200);  // and the node's own once a second
  const double s = seconds(median(set)), a = seconds(median(acquire)), r = seconds(median(renew)),
               g = seconds(median(release));
  std::printf("SET %.1f us, acquire %.1f us (%.2f), renew %.1f us (%.2f), release %.1f us (%.2f)\n",
              s * 1e6, a * 1e6, a / s, r * 1e6, r / s, g * 1e6, g / s);
  for (const double median_of_one : {a, r, g}) EXPECT_LT(median_of_one, 0.1);
}

}  // namespace
}  // namespace tanggul::redis
