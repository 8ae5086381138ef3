// A database that dies, stands still or is replaced while it is asked; and the one of the demo.
#include <atomic>
#include <thread>

#include "scenario/cluster.h"
#include "scenario/database.h"

namespace tanggul::test {
namespace {

RequestSpec request(std::string target) {
  RequestSpec spec;
  spec.target = std::move(target);
  return spec;
}

class SqlOutage : public SqlScenario {};

// Asks for rows nobody has asked for, and for one that everybody has, until it is told to end.
class Load {
 public:
  Load(std::uint16_t port, std::string prefix)
      : thread_([this, port, prefix] {
          for (int n = 0; !end_; ++n) {
            const auto held = get(port, "/products/1");
            ++(held.status == 200 ? held_ : held_failed_);
            const auto fresh = get(port, "/products/new" + prefix + std::to_string(n));
            if (fresh.status == 404) {
              ++answered_;
            } else if (fresh.status == 502 || fresh.status == 503) {
              ++refused_;
            } else {
              odd_ = fresh.status;
            }
          }
        }) {}
  ~Load() { stop(); }
  void stop() {
    end_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int held_failed() const { return held_failed_; }
  int answered() const { return answered_; }
  int refused() const { return refused_; }
  int odd() const { return odd_; }  // a status that none should have; 0: none

 private:
  std::atomic<bool> end_{false};
  std::atomic<int> held_{0}, held_failed_{0}, answered_{0}, refused_{0}, odd_{0};
  std::thread thread_;
};

TEST_F(SqlOutage, KilledAndStartedAgainUnderLoad) {
  TanggulProcess shield(db_->yaml("", "    breaker: { open_for: 1s }\n"));
  ASSERT_EQ(get(shield.port(), "/products/1").status, 200);
  // As many as there are connections, and another.
  std::vector<std::unique_ptr<Load>> all;
  for (int i = 0; i < 9; ++i)
    all.push_back(std::make_unique<Load>(shield.port(), std::to_string(i) + "-"));
  const Load& load = *all.front();
  for (int round = 0; round < 2; ++round) {
    int answered = load.answered();
    ASSERT_TRUE(eventually([&] { return load.answered() > answered + 50; }));
    const int refused = load.refused();
    db_->server().kill();
    ASSERT_TRUE(eventually([&] { return load.refused() > refused + 50; }));
    db_->server().start();
    answered = load.answered();
    ASSERT_TRUE(eventually([&] { return load.answered() > answered + 50; }));
  }
  for (const auto& each : all) {
    each->stop();
    EXPECT_EQ(each->held_failed(), 0);
    EXPECT_EQ(each->odd(), 0) << "refused at once, or answered";
  }
  // Each of its sessions is a free one again.
  EXPECT_TRUE(eventually([&] {
    return static_cast<double>(db_->sessions()) ==
           shield.metric("tanggul_sql_pool{state=\"idle\"}");
  }));
  expect_calm(shield);
}

TEST_F(SqlOutage, StandingStillItHoldsNobodyPastHisTime) {
  TanggulProcess shield(db_->yaml("", "    deadline: 500ms\n    breaker: { open_for: 1s }\n"));
  ASSERT_EQ(get(shield.port(), "/products/1").status, 200);
  db_->server().freeze();
  const auto results = burst(shield.port(), 100, [](std::size_t i) {
    return request("/products/other" + std::to_string(i));
  });
  EXPECT_EQ(with_status(results, 504) + with_status(results, 503), 100U);
  EXPECT_LT(slowest(results), 3 * 700ms);
  EXPECT_EQ(get(shield.port(), "/products/1").status, 200);
  db_->server().thaw();
  EXPECT_TRUE(eventually([&] { return get(shield.port(), "/products/2").status == 200; }));
  EXPECT_TRUE(eventually([&] { return shield.metric("tanggul_sql_pool{state=\"busy\"}") == 0; }));
  expect_calm(shield);
}

TEST_F(SqlOutage, MoreQueriesThanThePoolHasWaitAndThenAreToldSo) {
  TanggulProcess shield(db_->yaml(" AND pg_sleep(0.7) IS NOT NULL", "    pool: 2\n"));
  const auto results = burst(shield.port(), 20, [](std::size_t i) {
    return request("/products/" + std::to_string(i + 1));
  });
  // Two at once for a second of waiting, then those who had no turn.
  EXPECT_GE(with_status(results, 200), 2U);
  EXPECT_GE(with_status(results, 503), 10U);
  EXPECT_EQ(with_status(results, 200) + with_status(results, 503), 20U);
  for (const auto& r : results)
    if (r.status == 503) EXPECT_TRUE(r.headers.has("retry-after"));
  EXPECT_LE(db_->sessions(), 2U);
  expect_calm(shield);
}

// What is held is all that there is until the breaker has closed, whoever can listen again.
TEST_F(SqlOutage, WhatIsHeldIsServedUntilTheDatabaseIsAskedAgain) {
  TanggulProcess shield(
      db_->yaml("", "    notify: changes\n    breaker: { min_requests: 2, open_for: 3s }\n"));
  ASSERT_TRUE(shield.process().wait_for_output("listens on channel", 20s));
  ASSERT_TRUE(eventually([&] {
    return get(shield.port(), "/products/1")
               .headers.find("cache-status")
               .value_or("")
               .find("hit") != std::string::npos;
  }));
  db_->server().kill();
  ASSERT_TRUE(eventually([&] {
    get(shield.port(), "/products/2");
    return shield.metric("tanggul_breaker_state") == 2;
  }));
  db_->server().start();
  ASSERT_TRUE(eventually([&] { return db_->sessions() == 1; })) << "it listens again";
  while (shield.metric("tanggul_breaker_state") == 2)
    ASSERT_EQ(get(shield.port(), "/products/1").status, 200);
  // Once a query has worked, what may have changed meanwhile is asked for.
  int n = 10;
  EXPECT_TRUE(eventually([&] {
    get(shield.port(), "/products/" + std::to_string(n++));
    const std::size_t before = db_->queries();
    get(shield.port(), "/products/1");
    return db_->queries() > before;
  }));
  EXPECT_EQ(get(shield.port(), "/products/1").status, 200);
}

TEST_F(SqlOutage, AStopEndsTheQueriesThatRun) {
  TanggulProcess shield(db_->yaml(kHangs, "", "threads: 2\nshutdown: 1s\n"));
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 1; i <= 4; ++i)
    callers.push_back(std::make_unique<Caller>(shield, request("/products/" + std::to_string(i))));
  ASSERT_TRUE(eventually([&] { return db_->active() == 4; }));
  EXPECT_EQ(shield.stop(20s), 0);
  EXPECT_TRUE(eventually([&] { return db_->sessions() == 0; }));
  EXPECT_EQ(db_->active(), 0U);
}

// What libpq closes by itself must not be taken for another's connection.
TEST_F(SqlOutage, NobodyElseNoticesThatAListenerIsCutOff) {
  ScriptedOrigin origin(body_of(100));
  std::string yaml = db_->yaml("", "    notify: changes\n", "threads: 1\n");
  yaml += "  o:\n    kind: generic\n    mount: /o/\n    upstream: " + origin.url() + "\n";
  TanggulProcess shield(yaml);
  ASSERT_TRUE(shield.process().wait_for_output("listens on channel", 20s));
  ASSERT_EQ(get(shield.port(), "/o/a").status, 200);
  std::atomic<bool> end{false};
  std::atomic<int> slow{0}, asked{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      while (!end) {
        const auto r = get(shield.port(), "/o/a");
        ++asked;
        if (r.status != 200 || r.total > 2s) ++slow;
      }
    });
  for (int i = 0; i < 20; ++i) {
    db_->sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'tanggul'");
    const int before = asked;
    EXPECT_TRUE(eventually([&] { return asked > before + 20 && db_->sessions() == 1; }));
  }
  end = true;
  for (auto& client : clients) client.join();
  EXPECT_EQ(slow, 0) << "of " << asked;
}

TEST_F(SqlOutage, NobodyIsThereAtTheStart) {
  const std::string yaml = db_->yaml();
  db_->server().stop();
  TanggulProcess shield(yaml);
  const auto down = get(shield.port(), "/products/1");
  EXPECT_EQ(down.status, 502);
  EXPECT_TRUE(is_problem(down));
  for (const auto* leak : {"127.0.0.1", "postgres", "port"})
    EXPECT_EQ(down.body.find(leak), std::string::npos) << down.body;
  db_->server().start();
  EXPECT_TRUE(eventually([&] { return get(shield.port(), "/products/1").status == 200; }));
}

TEST(SqlDemo, IsAWholeShieldInOneCommand) {
  const TempDir dir;
  const std::uint16_t port = free_port(), admin = free_port();
  Process shield({.args = {tanggul_binary(), "serve", "--demo", "--listen",
                           "127.0.0.1:" + std::to_string(port), "--admin",
                           "127.0.0.1:" + std::to_string(admin), "--data", dir.file("data")}});
  ASSERT_TRUE(shield.wait_for_port(port, 20s)) << shield.err();
  const auto results = burst(port, 300, request("/products/42"));
  EXPECT_EQ(with_status(results, 200), 300U);
  EXPECT_EQ(coalesced(results), 299U);
  EXPECT_NE(results[0].body.find("\"name\":\"Product 42\""), std::string::npos);
  EXPECT_EQ(get(port, "/products/none").status, 404);
  EXPECT_EQ(get(port, "/products/42").headers.find("cache-status").value_or("").substr(0, 13),
            "tanggul; hit;");
}

}  // namespace
}  // namespace tanggul::test
