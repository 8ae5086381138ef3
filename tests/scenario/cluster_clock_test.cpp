// Three shields, the clock of one of them an hour ahead or behind: from the start, or at once while
// it runs. The others and Redis have the time.
#include "http/date.h"
#include "scenario/cluster.h"
#include "support/faked_clock.h"

namespace tanggul::test {
namespace {

using std::chrono::seconds;

constexpr std::size_t kOff = 1;  // whose clock is wrong

struct Skew {
  seconds at_start, later;  // what the clock is off by
  const char* name;
};

// Else the test's name would hold the bytes of a pointer.
void PrintTo(const Skew& skew, std::ostream* out) { *out << skew.name; }

class Skewed {
 public:
  explicit Skewed(const Skew& skew, Script script, const std::string& keys = "")
      : skew_(skew),
        clock_(skew.at_start),
        origin(std::move(script)),
        nodes(origin,
              {.redis = redis.url(), .keys = keys, .top = "", .each = [this](std::size_t i) {
                 return i == kOff ? NodeStart{.process = {.args = {}, .env = clock_.env()},
                                              .place = {},
                                              .advertise = ""}
                                  : NodeStart();
               }}) {
    expect_off_by(skew.at_start);
  }
  void jump() {
    clock_.set(skew_.later);
    expect_off_by(skew_.later);
  }

 private:
  void expect_off_by(seconds off) {
    const auto told = http::parse_date(nodes[kOff].get("/nowhere").headers.joined("date"));
    ASSERT_TRUE(told);
    const auto error = *told - std::chrono::floor<seconds>(wall_now()) - off;
    EXPECT_LE(error, 1min);
    EXPECT_GE(error, -1min);
  }

  const Skew skew_;
  FakedClock clock_;

 public:
  RedisServer redis;
  ScriptedOrigin origin;
  Nodes nodes;
};

class ClusterClock : public ::testing::TestWithParam<Skew> {};

Script slow(Script s) {
  s.delay_head = 200ms;
  return s;
}

// Of what is fresh for longer than the clock is wrong nobody notices anything. Else who is ahead
// takes what the others store for old, and they take what is stored by who is behind.
TEST_P(ClusterClock, AHerdIsOneFetchAndOneMoreAtMostForWhatIsFreshForLessThanTheClockIsOff) {
  Skewed world(GetParam(), slow(body_of(1000, "max-age=86400")));
  world.origin.set_prefix("/short", slow(body_of(1000, "max-age=60")));
  world.jump();
  for (int i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i);
    EXPECT_EQ(with_status(world.nodes.herd(20, asking("/o/long" + n)), 200), 60U);
    EXPECT_EQ(world.origin.requests("/long" + n), 1U);
    EXPECT_EQ(with_status(world.nodes.herd(20, asking("/o/short" + n)), 200), 60U);
    EXPECT_LE(world.origin.requests("/short" + n), 2U);
  }
  world.nodes.expect_calm_ones();
}

// Its body goes from node to node, which do not know each other by a time that is off.
TEST_P(ClusterClock, ALongBodyIsFetchedOnceMoreForTheNodeThatIsOff) {
  constexpr std::uint64_t kSize = 2 << 20;
  Skewed world(GetParam(), paced(kSize, 4 << 20));
  world.jump();
  for (const auto& r : world.nodes.herd(5, asking("/o/big"))) expect_whole(r, kSize);
  EXPECT_EQ(world.origin.requests(), 2U);
  world.nodes.expect_calm_ones();
}

TEST_P(ClusterClock, WhatWasPurgedIsServedByNobody) {
  Skewed world(GetParam(), saying("old"));
  Nodes& nodes = world.nodes;
  for (std::size_t i = 0; i < 3; ++i)
    for (const char* key : {"/o/a", "/o/b"}) EXPECT_EQ(nodes[i].get(key).body, "old");
  world.jump();
  world.origin.set_default(saying("new"));
  EXPECT_EQ(nodes.purge(0, "/o/a").status, 0);
  EXPECT_EQ(nodes.purge(kOff, "/o/b").status, 0);
  EXPECT_EQ(nodes[0].get("/o/a").body, "new");
  EXPECT_EQ(nodes[kOff].get("/o/b").body, "new");
  for (std::size_t i = 0; i < 3; ++i)
    for (const char* key : {"/o/a", "/o/b"}) {
      EXPECT_TRUE(eventually([&] { return nodes[i].get(key).body == "new"; }, 10s)) << i << key;
      EXPECT_EQ(nodes[i].get(key).body, "new") << i << key;
    }
  nodes.expect_calm_ones();
}

// By each clock: what who is ahead has stored, and what who is behind has from the others.
TEST_P(ClusterClock, WhatOneHasStoredIsFreshForNoLongerAtTheOthers) {
  Script brief = saying("old");
  brief.headers = {{"Cache-Control", "max-age=2"}};
  Skewed world(GetParam(), brief,
               "    stale_while_revalidate: 0s\n    stale_if_error: 0s\n    ttl_jitter: 0s\n");
  Nodes& nodes = world.nodes;
  world.jump();
  EXPECT_EQ(nodes[0].get("/o/by-0").body, "old");
  EXPECT_EQ(nodes[kOff].get("/o/by-0").body, "old");
  EXPECT_EQ(nodes[kOff].get("/o/by-1").body, "old");
  EXPECT_EQ(nodes[0].get("/o/by-1").body, "old");
  brief.body = "new";
  world.origin.set_default(brief);
  for (std::size_t i : {std::size_t{0}, kOff})
    for (const char* key : {"/o/by-0", "/o/by-1"})
      EXPECT_TRUE(eventually([&] { return nodes[i].get(key).body == "new"; }, 10s)) << i << key;
  nodes.expect_calm_ones();
}

INSTANTIATE_TEST_SUITE_P(, ClusterClock,
                         ::testing::Values(Skew{1h, 1h, "AheadFromTheStart"},
                                           Skew{-1h, -1h, "BehindFromTheStart"},
                                           Skew{0s, 1h, "AheadAtOnce"},
                                           Skew{0s, -1h, "BehindAtOnce"}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace tanggul::test
