// Three shields on one real Redis.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>
#include <thread>

#include "scenario/cluster.h"

namespace tanggul::test {
namespace {

TEST(Cluster, OneColdKeyIsOneFetchForAllCallersOfAllNodes) {
  Script slow = body_of(1000);
  slow.delay_head = 1s;
  ScriptedOrigin origin(slow);
  Cluster cluster(origin);
  const auto results = cluster.herd(100, asking("/o/cold"));
  EXPECT_EQ(with_status(results, 200), 300U);
  EXPECT_EQ(origin.requests(), 1U);
  EXPECT_EQ(coalesced(results), 299U);
  EXPECT_LE(slowest(results), 3750ms);
  cluster.expect_calm_ones();
}

TEST(Cluster, ALongBodyStreamsToAllNodesFromOneFetch) {
  constexpr std::uint64_t kSize = 8 << 20;
  ScriptedOrigin origin(paced(kSize, 8 << 20));
  Cluster cluster(origin);
  const auto results = cluster.herd(5, asking("/o/big"));
  EXPECT_EQ(origin.requests(), 1U);
  for (const auto& r : results) {
    EXPECT_TRUE(r.complete) << r.error;
    EXPECT_EQ(r.body_sha256, digest_of(kSize));
    EXPECT_LT(r.first_byte, 500ms);  // long before its end
  }
  cluster.expect_calm_ones();
}

TEST(Cluster, AWarmHitAsksRedisNothing) {
  ScriptedOrigin origin(body_of(1000));
  Cluster cluster(origin);
  cluster[0].get("/o/a");
  // What nodes say to each other by themselves is stopped with the server: nothing else is asked.
  cluster.redis.freeze();
  const double before = cluster[0].metric("tanggul_redis_commands_total");
  const auto results = burst(cluster[0].port(), 200, asking("/o/a"));
  const double asked = cluster[0].metric("tanggul_redis_commands_total") - before;
  cluster.redis.thaw();
  EXPECT_EQ(with_status(results, 200), 200U);
  EXPECT_LT(asked, 20);  // its own beat
  EXPECT_EQ(origin.requests(), 1U);
}

TEST(Cluster, AHolderThatIsKilledHalfwayCostsOneMoreFetchAndNobodyAWrongBody) {
  constexpr std::uint64_t kSize = 8 << 20;
  ScriptedOrigin origin(paced(kSize, 4 << 20, "\"v1\""));
  Cluster cluster(origin);
  ClientResult at_holder;
  std::thread first([&] { at_holder = send_request(cluster[0].port(), asking("/o/big")); });
  ASSERT_TRUE(eventually([&] { return origin.requests() == 1; }));
  std::vector<ClientResult> others(2);
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < 2; ++i)
    clients.emplace_back(
        [&, i] { others[i] = send_request(cluster[i + 1].port(), asking("/o/big")); });
  ASSERT_TRUE(eventually([&] {
    return cluster[1].metric("tanggul_flights") == 1 && cluster[2].metric("tanggul_flights") == 1;
  }));
  cluster[0].kill9();
  first.join();
  for (auto& c : clients) c.join();
  EXPECT_FALSE(at_holder.complete);
  for (const auto& r : others) {
    EXPECT_TRUE(r.complete) << r.error;
    EXPECT_EQ(r.body_sha256, digest_of(kSize));
  }
  EXPECT_LE(origin.requests(), 2U);
}

TEST(Cluster, AHolderThatWasStoppedPastItsLeaseDoesNotPublishOverItsSuccessor) {
  Script old = body_of(0);
  old.body = "old";
  old.generated_size = 0;
  old.delay_head = 4s;
  Script young = old;
  young.body = "young";
  young.delay_head = 0s;
  ScriptedOrigin origin(old);
  Cluster cluster(origin, "    timeout: { first_byte: 30s }\n");
  ClientResult late;
  std::thread client([&] { late = cluster[0].get("/o/a"); });
  ASSERT_TRUE(eventually([&] { return origin.requests() == 1; }));
  EXPECT_TRUE(cluster[0].process().freeze());
  origin.set_default(young);
  EXPECT_EQ(cluster[1].get("/o/a").body, "young");  // once the lease is over
  cluster[0].process().signal(SIGCONT);
  client.join();
  EXPECT_EQ(late.body, "old");
  EXPECT_EQ(cluster[0].metric("tanggul_lease_lost_total"), 1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(cluster[i].get("/o/a").body, "young") << i;
  EXPECT_EQ(origin.requests(), 2U);
}

TEST(Cluster, WithRedisGoneItServesOnAndComesBackByItself) {
  ScriptedOrigin origin(body_of(1000));
  Cluster cluster(origin);
  for (std::size_t i = 0; i < 3; ++i) cluster[i].get("/o/kept");
  cluster.redis.kill();
  const auto kept = cluster.herd(100, asking("/o/kept"));
  EXPECT_EQ(with_status(kept, 200), 300U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cluster[i].get("/o/new" + std::to_string(i)).status, 200);
    EXPECT_TRUE(cluster.reach(i, false));
  }
  EXPECT_EQ(origin.requests("/kept"), 1U);
  cluster.redis.start();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(cluster.reach(i, true));
  cluster.await_nodes(3);
  cluster.herd(10, asking("/o/again"));
  EXPECT_EQ(origin.requests("/again"), 1U);
  cluster.expect_calm_ones();
}

TEST(Cluster, StartsWithoutRedis) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess alone(generic_yaml(
      origin, "",
      "cluster: { redis: \"redis://127.0.0.1:1/0\", secret: a-secret-of-some-length }\n"));
  EXPECT_EQ(alone.get("/o/a").status, 200);
  EXPECT_EQ(alone.stop(), 0);
}

TEST(Cluster, APurgeHoldsOnAllNodes) {
  ScriptedOrigin origin(body_of(1000));
  Cluster cluster(origin);
  for (std::size_t i = 0; i < 3; ++i) cluster[i].get("/o/a");
  EXPECT_EQ(origin.requests(), 1U);
  const auto purged = cluster.purge(0, "/o/a");
  EXPECT_EQ(purged.status, 0) << purged.err;
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_TRUE(eventually(
        [&] {
          cluster[i].get("/o/a");
          return origin.requests() >= 2;
        },
        10s));
  cluster[0].get("/o/a");
  EXPECT_EQ(origin.requests(), 2U);  // one for all of them
}

bool comes_anew(TanggulProcess& node, const std::string& target, const std::string& body) {
  return eventually([&] { return node.get(target).body == body; }, 20s);
}

TEST(Cluster, APurgeThatCouldNotBeToldIsToldByTheNextProcess) {
  ScriptedOrigin origin(saying("old"));
  Cluster cluster(origin);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(cluster[i].get("/o/a").body, "old");
  origin.set_default(saying("new"));
  cluster.redis.kill();
  EXPECT_TRUE(cluster.reach_all(false));
  EXPECT_EQ(cluster.purge(0, "/o/a").status, 0);
  cluster[0].kill9();
  cluster.redis.start();
  cluster[0].start();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(comes_anew(cluster[i], "/o/a", "new")) << i;
}

TEST(Cluster, ANodeThatWasAwayWhileRedisWasEmptiedServesNothingThatWasPurged) {
  ScriptedOrigin origin(saying("old"));
  Cluster cluster(origin);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(cluster[i].get("/o/a").body, "old");
  EXPECT_EQ(cluster[2].stop(), 0);
  origin.set_default(saying("new"));
  EXPECT_EQ(cluster.purge(0, "/o/a").status, 0);
  EXPECT_TRUE(comes_anew(cluster[1], "/o/a", "new"));
  cluster.redis.kill();
  cluster.redis.start();
  cluster[2].start();
  EXPECT_TRUE(comes_anew(cluster[2], "/o/a", "new"));
}

TEST(Cluster, TheLimitsAreThoseOfAllNodesTogether) {
  Script slow = body_of(100);
  slow.delay_head = 100ms;
  ScriptedOrigin origin(slow);
  Cluster cluster(origin, "    limit: { concurrency: 4, queue: 1000, queue_wait: 60s }\n");
  std::vector<ClientResult> results;
  std::vector<std::thread> threads;
  std::vector<std::vector<ClientResult>> parts(3);
  for (std::size_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      parts[i] = burst(cluster[i].port(), 20, [i](std::size_t k) {
        return asking("/o/" + std::to_string(i) + "-" + std::to_string(k));
      });
    });
  for (auto& t : threads) t.join();
  for (const auto& part : parts) EXPECT_EQ(with_status(part, 200), 20U);
  EXPECT_LE(origin.max_concurrent(), 4U);
  EXPECT_EQ(origin.requests(), 60U);
}

TEST(Cluster, ADeadOriginSeesOneNodesWorthOfAttemptsAndThenNone) {
  ScriptedOrigin origin(failing(503));
  Cluster cluster(origin,
                  "    retry: { attempts: 1 }\n    limit: { concurrency: 4 }\n"
                  "    breaker: { min_requests: 10, open_for: 30s }\n");
  for (int round = 0; round < 10; ++round)
    for (std::size_t i = 0; i < 3; ++i)
      burst(cluster[i].port(), 5, [&](std::size_t k) {
        return asking("/o/" + std::to_string(round * 100 + static_cast<int>(i * 10 + k)));
      });
  EXPECT_LE(origin.requests(), 14U);  // min_requests and what ran at once
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(cluster[i].metric("tanggul_breaker_state{origin=\"o\"}"), 2) << i;
}

TEST(Cluster, WhatIsBuiltOnceIsHadAtEveryNode) {
  ScriptedOrigin origin;
  Cluster cluster(origin);
  const TempDir dir;
  const std::string runs = dir.file("runs");
  std::vector<std::unique_ptr<Process>> workers;
  for (int n = 0; n < 12; ++n) {
    const std::string out = dir.file("out" + std::to_string(n));
    workers.push_back(std::make_unique<Process>(ProcessSpec{
        .args = {tanggul_binary(), "once", "--via", cluster[static_cast<std::size_t>(n % 3)].url(),
                 "--key", "pkg", "--output", out, "--", "sh", "-c",
                 "echo run >> \"$RUNS\"; head -c 700000 /dev/urandom > \"$TANGGUL_ONCE_OUTPUT\""},
        .env = {{"RUNS", runs}}}));
  }
  for (auto& w : workers) EXPECT_EQ(w->wait(60s), 0) << w->err();
  EXPECT_EQ(read_file(runs), "run\n");
  const std::string first = read_file(dir.file("out0"));
  EXPECT_EQ(first.size(), 700'000U);
  for (int n = 1; n < 12; ++n)
    EXPECT_TRUE(read_file(dir.file("out" + std::to_string(n))) == first) << n;
  cluster.expect_calm_ones();
}

pid_t parent_of(pid_t pid) {
  std::istringstream lines(read_file("/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("PPid:")) return static_cast<pid_t>(std::stol(line.substr(5)));
  return 0;
}

// The first to build never ends by itself. It is killed with its worker, which is started again.
TEST(Cluster, FiftyWorkersWhoseBuilderIsKilledBuildTwiceAndAllHaveOneFile) {
  constexpr std::size_t kWorkers = 50;
  ScriptedOrigin origin;
  Cluster cluster(origin);
  const TempDir dir;
  const std::string runs = dir.file("runs");
  const auto out = [&](std::size_t n) { return dir.file("out" + std::to_string(n)); };
  const auto start = [&](std::size_t n) {
    return std::make_unique<Process>(ProcessSpec{
        .args = {tanggul_binary(), "once", "--via", cluster[n % 3].url(), "--key", "pkg",
                 "--output", out(n), "--", "sh", "-c",
                 "echo $$ >> \"$RUNS\"; [ $(wc -l < \"$RUNS\") -gt 1 ] || exec sleep 600; "
                 "head -c 700000 /dev/urandom > \"$TANGGUL_ONCE_OUTPUT\""},
        .env = {{"RUNS", runs}}});
  };
  std::vector<std::unique_ptr<Process>> workers;
  for (std::size_t n = 0; n < kWorkers; ++n) workers.push_back(start(n));
  const auto builders = [&] {
    std::vector<pid_t> pids;
    std::istringstream lines(read_file(runs));
    for (std::string line; std::getline(lines, line);)
      pids.push_back(static_cast<pid_t>(std::stol(line)));
    return pids;
  };
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runs) && !builders().empty(); }));
  const pid_t build = builders().front(), worker = parent_of(build);
  const auto killed = std::find_if(workers.begin(), workers.end(),
                                   [&](const auto& w) { return w->pid() == worker; });
  ASSERT_NE(killed, workers.end());
  (*killed)->signal(SIGKILL);
  ::kill(build, SIGKILL);
  EXPECT_EQ((*killed)->wait(10s), 128 + SIGKILL);
  *killed = start(static_cast<std::size_t>(killed - workers.begin()));
  for (auto& w : workers) EXPECT_EQ(w->wait(60s), 0) << w->err();
  EXPECT_EQ(builders().size(), 2U);
  const std::string first = read_file(out(0));
  EXPECT_EQ(first.size(), 700'000U);
  for (std::size_t n = 1; n < kWorkers; ++n) EXPECT_TRUE(read_file(out(n)) == first) << n;
  cluster.expect_calm_ones();
}

TEST(Cluster, EndsInOrderWithWaitersOfEverySortAndNoTimeForThem) {
  Script slow = body_of(1000);
  slow.delay_head = 30s;
  ScriptedOrigin origin(slow);
  Cluster cluster(origin, "    timeout: { first_byte: 60s }\n    limit: { concurrency: 1 }\n",
                  "shutdown: 0s\n");
  RequestSpec claim;
  claim.method = "POST";
  claim.target = "/.tanggul/once/k";
  claim.body = R"({"who":"test"})";
  EXPECT_EQ(send_request(cluster[0].port(), claim).status, 200);  // builds, and is never done
  claim.headers = {{"Prefer", "wait=60"}};
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < 3; ++i) {
    clients.emplace_back([&, i] { cluster[i].get("/o/same"); });
    clients.emplace_back([&, i] { cluster[i].get("/o/" + std::to_string(i)); });
    clients.emplace_back([&, i] { send_request(cluster[i].port(), claim); });
  }
  for (std::size_t i = 0; i < 3; ++i)
    ASSERT_TRUE(eventually([&] { return cluster[i].metric("tanggul_flights") == 2; }));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(cluster[i].stop(), 0) << cluster[i].process().err();
  for (auto& c : clients) c.join();
}

TEST(Cluster, ItsOwnPathsDoNotExistForClients) {
  ScriptedOrigin origin(body_of(100));
  Cluster cluster(origin);
  const auto unknown = cluster[0].get("/nowhere");
  const auto peer = cluster[0].get("/.tanggul/peer/entry/00000000000000000000000000000000");
  EXPECT_EQ(peer.status, 404);
  EXPECT_EQ(peer.body, unknown.body);
}

}  // namespace
}  // namespace tanggul::test
