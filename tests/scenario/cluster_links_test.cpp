// Three shields whose cables are cut and mended: between a node and Redis, and between nodes. What
// is sent over a cut cable is lost in silence, as in a network that fails, and unlike a reset.
#include <optional>

#include "scenario/cluster.h"
#include "support/network.h"

namespace tanggul::test {
namespace {

// Each node, and the origin with Redis, on a host of its own.
class Wired {
 public:
  enum Cable : std::size_t { to_origin, to_redis, to_nodes };

  explicit Wired(Script script, std::string keys = "")
      : origin(std::move(script), Network::hub_address(to_origin)),
        nodes(origin, {.redis = "redis://" + Network::hub_address(to_redis) + ":" +
                                std::to_string(redis.port()),
                       .keys = std::move(keys),
                       .top = "",
                       .each = [this](std::size_t i) { return start(i); }}) {}
  void cut(std::size_t node, Cable cable) { network_.cut(node, cable); }
  void heal(std::size_t node, Cable cable) { network_.heal(node, cable); }

 private:
  NodeStart start(std::size_t i) const {
    const auto port = static_cast<std::uint16_t>(8080 + i);  // which is part of its name
    const std::string own = Network::address(to_nodes, i) + ":" + std::to_string(port);
    return {.process = {},
            .place = {.address = "0.0.0.0", .port = port, .network = &network_, .host = i},
            .advertise = "http://" + own};
  }

  Network network_{Nodes::kCount, 3};
  Network::Visit hub_{network_.at_hub()};

 public:
  RedisServer redis{{.also_at = Network::hub_address(to_redis)}};
  ScriptedOrigin origin;
  Nodes nodes;
};

// A caller at the first node, which fetches, and one at the second, which follows it.
struct Following {
  explicit Following(Wired& wired) : wired_(wired) {}
  bool begin() {
    at_holder.emplace(wired_.nodes[0], asking("/o/big"));
    if (!eventually([&] { return wired_.origin.requests() == 1; })) return false;
    at_follower.emplace(wired_.nodes[1], asking("/o/big"));
    return eventually([&] { return wired_.nodes[1].metric("tanggul_flights") == 1; });
  }
  std::optional<Caller> at_holder, at_follower;

 private:
  Wired& wired_;
};

class ClusterLinks : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = Network::why_not();
    if (!why.empty()) GTEST_SKIP() << "no network of several hosts can be made: " << why;
  }
};

constexpr std::uint64_t kMiB = 1 << 20;

TEST_F(ClusterLinks, AHolderCutFromRedisHalfwayCostsOneMoreFetchAndNobodyAWrongBody) {
  constexpr std::uint64_t kSize = 8 * kMiB;
  Wired wired(paced(kSize, 2 * kMiB, "\"v1\""));
  Nodes& nodes = wired.nodes;
  Following following(wired);
  ASSERT_TRUE(following.begin());
  wired.cut(0, Wired::to_redis);
  EXPECT_TRUE(nodes.reach(0, false));
  Caller late(nodes[2], asking("/o/big"));
  for (Caller* caller : {&*following.at_holder, &*following.at_follower, &late})
    expect_whole(caller->answer(), kSize);
  EXPECT_LE(wired.origin.requests(), 2U);
  EXPECT_EQ(nodes[0].metric("tanggul_lease_lost_total"), 1);
  EXPECT_EQ(nodes[1].metric("tanggul_lease_lost_total"), 0);
  EXPECT_EQ(nodes[2].metric("tanggul_lease_lost_total"), 0);
  wired.heal(0, Wired::to_redis);
  EXPECT_TRUE(nodes.reach(0, true));
  nodes.await_nodes(3);
  wired.origin.set_default(body_of(1000));
  EXPECT_EQ(with_status(nodes.herd(20, asking("/o/after")), 200), 60U);
  EXPECT_EQ(wired.origin.requests("/after"), 1U);
  nodes.expect_calm_ones();
}

TEST_F(ClusterLinks, NodesThatCannotReachEachOtherWaitForTheCopy) {
  Script slow = body_of(1000);
  slow.delay_head = 1s;
  Wired wired(slow);
  for (std::size_t i = 0; i < 3; ++i) wired.cut(i, Wired::to_nodes);
  EXPECT_EQ(with_status(wired.nodes.herd(20, asking("/o/small")), 200), 60U);
  EXPECT_EQ(wired.origin.requests(), 1U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(wired.nodes[i].process().out().find("/.tanggul/peer/"), std::string::npos) << i;
  wired.nodes.expect_calm_ones();
}

// Its body goes from node to node, and not through Redis: who is cut off fetches it himself.
TEST_F(ClusterLinks, ALongBodyIsFetchedOnceMoreForANodeThatCannotReachTheOthers) {
  constexpr std::uint64_t kSize = 3 * kMiB;
  Wired wired(paced(kSize, 3 * kMiB));
  wired.cut(2, Wired::to_nodes);
  for (const auto& r : wired.nodes.herd(5, asking("/o/big"))) expect_whole(r, kSize);
  EXPECT_EQ(wired.origin.requests(), 2U);
  wired.nodes.expect_calm_ones();
}

TEST_F(ClusterLinks, AStreamBetweenNodesThatFallsSilentGoesOnFromTheOrigin) {
  constexpr std::uint64_t kSize = 3 * kMiB;
  Wired wired(paced(kSize, 2 * kMiB, "\"v1\""));
  Nodes& nodes = wired.nodes;
  Following following(wired);
  ASSERT_TRUE(following.begin());
  EXPECT_EQ(nodes[1].get("/o/big", {{"Range", "bytes=0-99"}}).body, generated_bytes(0, 100));
  wired.cut(0, Wired::to_nodes);
  expect_whole(following.at_holder->answer(), kSize);
  expect_whole(following.at_follower->answer(), kSize);
  EXPECT_EQ(wired.origin.requests(), 2U);
  nodes.expect_calm_ones();
}

TEST_F(ClusterLinks, ANodeCutFromRedisServesOnAndThenFollowsThePurgesThatItHasMissed) {
  Wired wired(saying("old"));
  Nodes& nodes = wired.nodes;
  for (std::size_t i = 0; i < 3; ++i)
    for (const char* key : {"/o/there", "/o/here", "/o/kept"})
      EXPECT_EQ(nodes[i].get(key).body, "old");
  EXPECT_EQ(wired.origin.requests(), 3U);
  wired.cut(2, Wired::to_redis);
  EXPECT_TRUE(nodes.reach(2, false));
  wired.origin.set_default(saying("new"));
  const CommandResult there = nodes.purge(0, "/o/there"), here = nodes.purge(2, "/o/here");
  EXPECT_EQ(there.status, 0);
  EXPECT_EQ(here.status, 0);
  EXPECT_NE(there.out.find("; told to the other nodes"), std::string::npos) << there.out;
  EXPECT_NE(here.out.find("; the other nodes cannot be told now"), std::string::npos) << here.out;
  EXPECT_EQ(nodes[2].get("/o/kept").body, "old");
  EXPECT_EQ(nodes[2].get("/o/there").body, "old");  // nobody can have told it
  EXPECT_EQ(nodes[2].get("/o/here").body, "new");
  EXPECT_EQ(nodes[2].get("/o/unheard-of").body, "new");
  EXPECT_TRUE(nodes.reach(0, true));
  EXPECT_EQ(nodes[0].get("/o/there").body, "new");

  wired.heal(2, Wired::to_redis);
  EXPECT_TRUE(nodes.reach(2, true));
  EXPECT_TRUE(eventually([&] { return nodes[2].get("/o/there").body == "new"; }, 10s));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(eventually([&] { return nodes[i].get("/o/here").body == "new"; }, 10s)) << i;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(nodes[i].get("/o/there").body, "new") << i;
    EXPECT_EQ(nodes[i].get("/o/here").body, "new") << i;
    EXPECT_EQ(nodes[i].get("/o/kept").body, "old") << i;
  }
  EXPECT_EQ(wired.origin.requests("/there"), 2U);
  EXPECT_LE(wired.origin.requests("/here"), 3U);
  nodes.await_nodes(3);
  nodes.expect_calm_ones();
}

}  // namespace
}  // namespace tanggul::test
