// A database behind the shield: one query for however many ask, and none for what is no question.
#include <signal.h>

#include "scenario/cluster.h"
#include "scenario/database.h"

namespace tanggul::test {
namespace {

RequestSpec request(std::string target, HeaderList headers = {}) {
  RequestSpec spec;
  spec.target = std::move(target);
  spec.headers = std::move(headers);
  return spec;
}

class Sql : public SqlScenario {};

TEST_F(Sql, TwoThousandMissesOfOneRowCostOneQueryAndSoDoesItsExpiry) {
  TanggulProcess shield(
      db_->yaml(kTakes300ms,
                "    ttl: 1s\n    ttl_jitter: 0s\n    stale_while_revalidate: 0s\n"
                "    early_refresh_beta: 0\n"));
  for (std::size_t round = 1; round <= 2; ++round) {
    const auto results = burst(shield.port(), 2000, request("/products/42"));
    const MonoTime over = MonoClock::now() + 1100ms;
    EXPECT_EQ(db_->queries(), round);
    EXPECT_EQ(with_status(results, 200), 2000U);
    EXPECT_EQ(coalesced(results), 1999U);
    EXPECT_EQ(count_if(results,
                       [](const auto& r) {
                         return r.body ==
                                "{\"id\":\"42\",\"name\":\"Product 42\",\"price\":420.99}\n";
                       }),
              2000U);
    EXPECT_LT(slowest(results), 3 * 450ms);
    EXPECT_TRUE(eventually([&] { return MonoClock::now() >= over; }));
  }
  EXPECT_EQ(db_->sessions(), 1U);
  EXPECT_EQ(shield.metric("tanggul_sql_pool{state=\"waiting\"}"), 0);
  EXPECT_EQ(shield.metric("tanggul_sql_pool{origin=\"products\",state=\"idle\"}"), 1);
  EXPECT_EQ(shield.metric("tanggul_sql_pool{origin=\"products\",state=\"limit\"}"), 8);
  EXPECT_EQ(shield.metric("singleflight_shared_total{key_pattern=\"products\"}"), 2 * 1999);
  expect_calm(shield);
}

TEST_F(Sql, TheFirstLeavesAndNobodyNotices) {
  TanggulProcess shield(db_->yaml(kTakes300ms));
  RequestSpec hasty = request("/products/42");
  hasty.leave_after = 100ms;
  const auto results = burst(
      shield.port(), 500, [&](std::size_t i) { return i == 0 ? hasty : request("/products/42"); });
  EXPECT_EQ(db_->queries(), 1U);
  EXPECT_EQ(with_status(results, 200), 499U);
  EXPECT_TRUE(results[0].left);
  EXPECT_EQ(shield.metric("tanggul_requests_total{result=\"aborted\"}"), 1);
  expect_calm(shield);
}

TEST_F(Sql, AQueryThatHangsIsCancelledAtTheServerAndThePoolIsWholeAgain) {
  TanggulProcess shield(db_->yaml(" AND (id <> '13' OR pg_sleep(600) IS NOT NULL)"));
  Caller early(shield, request("/products/13", {{"Prefer", "wait=1"}}));
  const auto results = burst(shield.port(), 500, request("/products/13"));
  EXPECT_EQ(db_->queries(), 1U);
  EXPECT_EQ(with_status(results, 504), 500U);
  EXPECT_TRUE(is_problem(results[0])) << results[0].body;
  EXPECT_LT(slowest(results), 3 * 3100ms);
  EXPECT_EQ(early.answer().status, 504);
  EXPECT_LT(early.answer().total, 2900ms) << "by its own deadline";
  EXPECT_TRUE(eventually([&] { return db_->active() == 0; }));
  EXPECT_TRUE(eventually([&] { return shield.metric("tanggul_sql_pool{state=\"busy\"}") == 0; }));
  EXPECT_EQ(shield.metric("tanggul_sql_pool{state=\"idle\"}"), 1);
  EXPECT_EQ(get(shield.port(), "/products/1").status, 200);
  EXPECT_EQ(db_->sessions(), 1U);
  expect_calm(shield);
}

TEST_F(Sql, OneFailingQueryIsSharedOnceAndTheNextRequestTriesAnew) {
  db_->sql("CREATE TABLE health(divisor integer); INSERT INTO health VALUES (0)");
  TanggulProcess shield(db_->yaml(" AND 1 / (SELECT divisor FROM health, pg_sleep(0.3)) = 1"));
  const auto results = burst(shield.port(), 500, request("/products/42"));
  EXPECT_EQ(db_->queries(), 1U);
  EXPECT_EQ(with_status(results, 500), 500U);
  for (const auto& r : results) {
    ASSERT_TRUE(is_problem(r)) << r.body;
    for (const auto* leak : {"divi", "SELECT", "health", "22012"})
      ASSERT_EQ(r.body.find(leak), std::string::npos) << r.body;
  }
  db_->sql("UPDATE health SET divisor = 1");
  EXPECT_EQ(get(shield.port(), "/products/42").status, 200);
  EXPECT_EQ(db_->queries(), 2U);
  expect_calm(shield);
}

TEST_F(Sql, WithNegativeSetAFailureIsRememberedForItsTimeAndNoLonger) {
  db_->sql("CREATE TABLE health(divisor integer); INSERT INTO health VALUES (0)");
  TanggulProcess shield(db_->yaml(" AND 1 / (SELECT divisor FROM health) = 1",
                                  "    negative: { server_error: 2s }\n    ttl_jitter: 0s\n"));
  const auto first = get(shield.port(), "/products/42");
  const MonoTime over = MonoClock::now() + 2s;
  EXPECT_EQ(first.status, 500);
  db_->sql("UPDATE health SET divisor = 1");
  const auto remembered = get(shield.port(), "/products/42");
  EXPECT_EQ(remembered.status, 500);
  EXPECT_TRUE(remembered.headers.has("retry-after"));
  EXPECT_EQ(db_->queries(), 1U);
  EXPECT_TRUE(eventually([&] { return MonoClock::now() > over; }));
  EXPECT_EQ(get(shield.port(), "/products/42").status, 200);
  EXPECT_EQ(db_->queries(), 2U);
}

TEST_F(Sql, AMissingRowIsRememberedWithItsBody) {
  TanggulProcess shield(db_->yaml());
  const auto first = get(shield.port(), "/products/none");
  EXPECT_EQ(first.status, 404);
  EXPECT_TRUE(is_problem(first)) << first.body;
  const auto again = get(shield.port(), "/products/none");
  EXPECT_EQ(again.status, 404);
  EXPECT_EQ(again.body, first.body);
  EXPECT_NE(again.headers.find("cache-status").value_or("").find("detail=negative"),
            std::string::npos);
  EXPECT_EQ(db_->queries(), 1U);
}

TEST_F(Sql, WhatIsInjectedIsDataAndWhatIsNoValueIsNoQuery) {
  TanggulProcess shield(db_->yaml());
  for (const auto* target :
       {"/products/'%20OR%20'1'='1", "/products/1;%20DROP%20TABLE%20products",
        "/products/1'%20UNION%20SELECT%201,2,3%20--", "/products/%27%27%29%20OR%201=1"})
    EXPECT_EQ(get(shield.port(), target).status, 404) << target;
  EXPECT_EQ(db_->sql("SELECT count(*) FROM products"), "100");
  const std::size_t before = db_->queries();
  EXPECT_EQ(before, 4U);
  for (const std::string& target :
       {"/products/" + std::string(1025, 'x'), std::string("/products/%00"),
        std::string("/products/%ff"), std::string("/products/%zz")}) {
    const auto r = get(shield.port(), target);
    EXPECT_EQ(r.status, 400) << target;
    EXPECT_TRUE(is_problem(r)) << r.body;
  }
  EXPECT_EQ(db_->queries(), before);
  EXPECT_EQ(get(shield.port(), "/products/" + std::string(1024, 'x')).status, 404);
}

TEST_F(Sql, ValuesThatAreNotOfTheirTypeAreRefusedWithoutAQuery) {
  db_->sql(
      "CREATE TABLE orders(id integer PRIMARY KEY, total numeric); "
      "INSERT INTO orders VALUES (7, 12345678901234567890.10)");
  TanggulProcess shield(
      db_->yaml() + "  orders:\n    kind: sql\n    mount: \"/orders/{id}\"\n    database: \"" +
      db_->server().url() +
      "\"\n    query: \"SELECT id, total FROM orders WHERE id = $1 AND total > $2\"\n"
      "    params: { id: any, over: { type: number, default: 0 } }\n");
  const auto good = get(shield.port(), "/orders/7");
  EXPECT_EQ(good.body, "{\"id\":7,\"total\":12345678901234567890.10}\n");
  const std::size_t before = db_->queries();
  for (const auto* target : {"/orders/seven", "/orders/7%20OR%201=1", "/orders/99999999999",
                             "/orders/7?over=much", "/orders/7?over=1&over=2"})
    EXPECT_EQ(get(shield.port(), target).status, 400) << target;
  EXPECT_EQ(db_->queries(), before);
  // What a query adds that no parameter is makes no other key.
  EXPECT_EQ(get(shield.port(), "/orders/7?utm_source=mail&over=0").body, good.body);
  EXPECT_EQ(db_->queries(), before);
}

TEST_F(Sql, OnlyReadingMethodsAndItsOwnPathsAreServed) {
  TanggulProcess shield(db_->yaml());
  RequestSpec post = request("/products/1");
  post.method = "POST";
  post.body = "x";
  const auto refused = send_request(shield.port(), post);
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.headers.find("allow").value_or(""), "GET, HEAD");
  for (const auto* target : {"/products/", "/products/1/2", "/products", "/"}) {
    const auto r = get(shield.port(), target);
    EXPECT_EQ(r.status, 404) << target;
    EXPECT_NE(r.body.find("/products/{id}"), std::string::npos) << r.body;
  }
  EXPECT_EQ(db_->queries(), 0U);
  RequestSpec head = request("/products/1");
  head.method = "HEAD";
  const auto told = send_request(shield.port(), head);
  EXPECT_EQ(told.status, 200);
  const std::string size = std::to_string(get(shield.port(), "/products/1").body.size());
  EXPECT_EQ(told.headers.find("content-length").value_or(""), size);
}

TEST_F(Sql, WhoHasARowAlreadyIsToldSo) {
  TanggulProcess shield(db_->yaml());
  const auto row = get(shield.port(), "/products/1");
  const std::string etag(row.headers.find("etag").value_or(""));
  ASSERT_GT(etag.size(), 2U);
  EXPECT_EQ(count_if({row},
                     [](const auto& r) {
                       return r.headers.joined("content-length").find(',') == std::string::npos;
                     }),
            1U);
  EXPECT_EQ(get(shield.port(), "/products/1", {{"If-None-Match", etag}}).status, 304);
  EXPECT_EQ(get(shield.port(), "/products/2", {{"If-None-Match", etag}}).status, 200);
}

// What a client sends of its own says nothing to a database: it neither keys nor varies.
TEST_F(Sql, CredentialsAndCookiesMakeNoOtherAnswer) {
  TanggulProcess shield(db_->yaml(kTakes300ms));
  const auto results = burst(shield.port(), 50, [&](std::size_t i) {
    const std::string n = std::to_string(i);
    return request("/products/42", {{"Authorization", "Bearer " + n},
                                    {"Cookie", "s=" + n},
                                    {"Accept-Language", i % 2 == 0 ? "id" : "en"}});
  });
  EXPECT_EQ(with_status(results, 200), 50U);
  EXPECT_EQ(db_->queries(), 1U);
}

TEST_F(Sql, ANotificationForgetsWhatHasChanged) {
  db_->sql(
      "CREATE FUNCTION tell_product() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "PERFORM pg_notify('product_changed', json_build_object('id', coalesce(NEW.id, "
      "OLD.id))::text);"
      " RETURN NULL; END $$;"
      "CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON products FOR EACH ROW "
      "EXECUTE FUNCTION tell_product()");
  TanggulProcess shield(db_->yaml("", "    notify: product_changed\n"));
  ASSERT_TRUE(shield.process().wait_for_output("listens on channel product_changed", 20s));
  const auto price = [&](std::string id) { return get(shield.port(), "/products/" + id).body; };
  // The purge that comes with the beginning may still be on its way.
  ASSERT_TRUE(eventually([&] {
    price("1"), price("2"), price("none");
    return get(shield.port(), "/products/2")
               .headers.find("cache-status")
               .value_or("")
               .find("hit") != std::string::npos;
  }));
  const std::size_t before = db_->queries();
  db_->sql("UPDATE products SET price = 1.50 WHERE id = '1'");
  EXPECT_TRUE(eventually([&] { return price("1").find("1.50") != std::string::npos; }));
  price("2");
  EXPECT_EQ(db_->queries(), before + 1) << "what has not changed stays";
  db_->sql("INSERT INTO products VALUES ('none', 'now there', 3)");
  EXPECT_TRUE(eventually([&] { return price("none").find("now there") != std::string::npos; }));
  // After a break anything may have changed.
  db_->server().kill();
  db_->server().start();
  db_->sql(
      "ALTER TABLE products DISABLE TRIGGER tell; UPDATE products SET price = 9 "
      "WHERE id = '2'");
  EXPECT_TRUE(eventually([&] { return price("2").find("9.00") != std::string::npos; }));
}

TEST_F(Sql, AReloadChangesTheQueryAndLosesNoRequest) {
  TanggulProcess shield(db_->yaml(kTakes300ms));
  Caller on_its_way(shield, request("/products/1"));
  ASSERT_TRUE(eventually([&] { return db_->active() == 1; }));
  std::string other = db_->yaml();
  other.replace(other.find("SELECT id, name, price"), 22, "SELECT id, upper(name) AS name");
  shield.dir().write("tanggul.yaml", other);
  shield.process().signal(SIGHUP);
  ASSERT_TRUE(shield.process().wait_for_output("was read again", 20s));
  EXPECT_EQ(on_its_way.answer().status, 200);
  EXPECT_EQ(get(shield.port(), "/products/2").body, "{\"id\":\"2\",\"name\":\"PRODUCT 2\"}\n");
  expect_calm(shield);
}

TEST_F(Sql, AReloadOfASettingAloneTakesEffectToo) {
  const std::string query = " AND pg_sleep(0.5) IS NOT NULL";
  TanggulProcess shield(db_->yaml(query, "    deadline: 100ms\n"));
  EXPECT_EQ(get(shield.port(), "/products/1").status, 504);
  shield.dir().write("tanggul.yaml", db_->yaml(query, "    deadline: 20s\n"));
  shield.process().signal(SIGHUP);
  ASSERT_TRUE(shield.process().wait_for_output("was read again", 20s));
  EXPECT_TRUE(eventually([&] { return get(shield.port(), "/products/2").status == 200; }));
}

TEST_F(Sql, AnotherQueryIsNotAnsweredFromWhatTheFormerHasLeft) {
  TanggulProcess shield(db_->yaml());
  EXPECT_NE(get(shield.port(), "/products/1").body.find("price"), std::string::npos);
  std::string other = db_->yaml();
  other.replace(other.find("SELECT id, name, price"), 22, "SELECT id, name");
  shield.dir().write("tanggul.yaml", other);
  shield.process().signal(SIGHUP);
  ASSERT_TRUE(shield.process().wait_for_output("was read again", 20s));
  EXPECT_TRUE(eventually([&] {
    return get(shield.port(), "/products/1").body == "{\"id\":\"1\",\"name\":\"Product 1\"}\n";
  }));
}

TEST_F(Sql, OnOneRedisANodeHasWhatAnotherHasAskedFor) {
  if (!redis_is_here()) GTEST_SKIP() << "there is no redis-server on this machine";
  RedisServer redis;
  const auto top = [&](const char* node) {
    return "cluster: { redis: \"" + redis.url() + "\", node: " + node +
           ", secret: 0123456789abcdef0123456789abcdef }\n";
  };
  TanggulProcess a(db_->yaml(kTakes300ms, "", top("a"))), b(db_->yaml(kTakes300ms, "", top("b")));
  ASSERT_TRUE(eventually([&] { return a.metric("tanggul_cluster_nodes") == 2; }));
  Caller first(a, request("/products/42"));
  const auto results = burst(b.port(), 200, request("/products/42"));
  EXPECT_EQ(with_status(results, 200), 200U);
  EXPECT_EQ(first.answer().status, 200);
  EXPECT_EQ(db_->queries(), 1U);
  // Without Redis each node asks by itself.
  redis.kill();
  EXPECT_EQ(get(b.port(), "/products/42").status, 200);
  EXPECT_EQ(db_->queries(), 1U);
  EXPECT_EQ(get(b.port(), "/products/43").status, 200);
  EXPECT_EQ(get(a.port(), "/products/44").status, 200);
  EXPECT_EQ(db_->queries(), 3U);
  EXPECT_TRUE(eventually([&] { return b.metric("tanggul_redis_errors_total") > 0; }));
  expect_calm(a);
  expect_calm(b);
}

}  // namespace
}  // namespace tanggul::test
