// A database that dies, stands still or is replaced while it is asked; and the one of the demo.
#include <atomic>
#include <thread>

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
  explicit Load(std::uint16_t port)
      : thread_([this, port] {
          for (int n = 0; !end_; ++n) {
            const auto held = get(port, "/products/1");
            ++(held.status == 200 ? held_ : held_failed_);
            const auto fresh = get(port, "/products/new" + std::to_string(n));
            if (fresh.status == 404) {
              ++answered_;
            } else if (fresh.status == 502 || fresh.status == 503 || fresh.status == 504) {
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
  Load load(shield.port());
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
  load.stop();
  EXPECT_EQ(load.held_failed(), 0);
  EXPECT_EQ(load.odd(), 0);
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

TEST_F(SqlOutage, NobodyIsThereAtTheStart) {
  const std::string yaml = db_->yaml();
  db_->server().stop();
  TanggulProcess shield(yaml);
  const auto down = get(shield.port(), "/products/1");
  EXPECT_EQ(down.status, 502);
  EXPECT_TRUE(is_problem(down));
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
