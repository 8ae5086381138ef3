#include "app/config/sql_origin.h"

#include <gtest/gtest.h>

#include "app/config/config_for_test.h"
#include "http/target.h"
#include "registry/sql/values.h"

namespace tanggul::app {
namespace {

std::string products(std::string_view keys) {
  return "origins: { products: { kind: sql, " + std::string(keys) + " } }";
}

constexpr std::string_view kContract =
    "mount: \"/products/{id}\", database: \"postgres://app:s3cret@db:5432/shop\", "
    "query: \"SELECT id, name, price FROM products WHERE id = $1\"";

TEST(SqlOriginTest, HasTheDefaultsOfTheContract) {
  const Config config = good(products(kContract));
  const shield::OriginConfig& o = config.shield.origins.at(0);
  EXPECT_EQ(o.mount, "/products/");
  EXPECT_EQ(o.written_mount(), "/products/{id}");
  EXPECT_EQ(o.freshness.ttl, 5min);
  EXPECT_EQ(o.freshness.ttl_jitter, 30s);
  EXPECT_EQ(o.deadline, 3s);
  EXPECT_EQ(o.deadline_ends_fetch, 100ms);
  EXPECT_EQ(o.retry.attempts, 1);
  EXPECT_EQ(o.negative.not_found, 60s);
  EXPECT_EQ(o.negative.server_error, 0s);
  EXPECT_EQ(o.negative.unreachable, 0s);
  EXPECT_EQ(o.limit.concurrency, 8);
  EXPECT_EQ(o.key_patterns, std::vector<std::string>{"products"});
  const SqlSettings& sql = config.settings.at(0).sql;
  EXPECT_EQ(sql.pool, 8);
  EXPECT_FALSE(sql.many);
  ASSERT_EQ(sql.parameters.size(), 1U);
  EXPECT_TRUE(sql.parameters[0].in_path);
}

TEST(SqlOriginTest, WhatTheFileSaysWins) {
  const Config config = good(
      "defaults: { ttl: 1h, negative: { unreachable: 20s } }\n" +
      products(std::string(kContract) +
               ", pool: 20, deadline: 5s, negative: { server_error: 20s }, retry: { attempts: 2 }, "
               "limit: { queue_wait: 2s }, max_object: 1MiB, rows: many, notify: changes"));
  const shield::OriginConfig& o = config.shield.origins.at(0);
  EXPECT_EQ(o.freshness.ttl, 1h);
  EXPECT_EQ(o.negative.unreachable, 20s);
  EXPECT_EQ(o.negative.server_error, 20s);
  EXPECT_EQ(o.deadline, 5s);
  EXPECT_EQ(o.retry.attempts, 2);
  EXPECT_EQ(o.limit.concurrency, 20) << "as many as there are connections";
  EXPECT_EQ(o.limit.queue_wait, 2s);
  EXPECT_EQ(o.max_object, 1_MiB);
  EXPECT_TRUE(config.settings.at(0).sql.many);
  EXPECT_EQ(config.settings.at(0).sql.notify, "changes");
}

TEST(SqlOriginTest, ParametersAreNumberedByThePathAndByParams) {
  const auto names = [](std::string_view keys) {
    std::string out;
    const Config config = good(products(keys));
    for (const auto& p : config.settings.at(0).sql.parameters)
      out += p.name + ":" + std::string(registry::sql::name(p.type)) + " ";
    return out;
  };
  const std::string at = "mount: \"/s/{shop}/{id}\", database: \"sqlite:///a.db\", ";
  EXPECT_EQ(names(at + "query: \"SELECT $1, $2\""), "shop:any id:any ");
  EXPECT_EQ(names(at + "query: \"SELECT $1, $2\", params: [id, shop]"), "id:any shop:any ");
  EXPECT_EQ(names(at + "query: \"SELECT $1, $2, $3\", params: { limit: integer }"),
            "shop:any id:any limit:integer ");
  EXPECT_EQ(names(at + "query: \"SELECT $1, $2, $3\", params: { id: uuid, shop: bigint, "
                       "limit: { type: integer, default: 20 } }"),
            "id:uuid shop:integer limit:integer ");
}

TEST(SqlOriginTest, WrongOnesAreToldWithWhatWouldBeRight) {
  const std::string rest = "database: \"sqlite:///a.db\", query: \"SELECT $1\"";
  const struct {
    std::string keys, error;
  } cases[] = {
      {"mount: \"/p/{id}\", query: \"SELECT $1\"", "database: is missing; write postgres://"},
      {"mount: \"/p/{id}\", database: \"sqlite:///a.db\"", "query: is missing; write one SELECT"},
      {"mount: \"/p/{id}\", database: \"mysql://u:pw@h/d\", query: \"SELECT $1\"",
       "database: is no database's URL; write postgres://"},
      {"mount: \"/p/{id}\", database: \"postgres//u:pw@h/d\", query: \"SELECT $1\"",
       "database: is no database's URL; write postgres://"},
      {"mount: \"/p/{id}\", database: \"postgres://u:pw@h/d?bogus=1\", query: \"SELECT $1\"",
       "database: is no address that libpq takes"},
      {"mount: \"/p/{id}\", database: \"sqlite://a.db\", query: \"SELECT $1\"",
       "database: names no file"},
      {"mount: \"/p/{id}.json\", " + rest, "mount: \"/p/{id}.json\" has a placeholder that is no"},
      {"mount: \"/p/{id}\", database: \"sqlite:///a.db\", query: \"SELECT * FROM p WHERE id = "
       "{id}\"",
       "query: splices a value into its text; values are bound, write $1"},
      {"mount: \"/p/{id}\", database: \"sqlite:///a.db\", query: \"DELETE FROM p WHERE id = $1\"",
       "query: does not read"},
      {"mount: \"/p/{id}\", " + rest + ", rows: some", "rows: \"some\" is none of its values"},
      {"mount: \"/p/{id}\", " + rest + ", params: { id: blob }", "params.id"},
      {"mount: \"/p/{id}\", " + rest + ", params: { id: { type: integer, default: 1 } }",
       "params: id stands in the path"},
      {"mount: \"/p/{id}\", " + rest + ", params: { q: text }",
       "query: never uses q; bind it as $2"},
      {"mount: \"/p/{id}\", " + rest + ", notify: c", "notify: is of PostgreSQL alone"},
      {"mount: \"/p/{id}\", " + rest + ", pool: 0", "pool"},
      {"mount: \"/p/{id}\", " + rest + ", upstream: \"http://h/\"",
       "upstream: means nothing to kind sql"},
  };
  for (const auto& c : cases) {
    const auto errors = parsed(products(c.keys)).errors;
    const bool told = std::any_of(errors.begin(), errors.end(), [&](const std::string& e) {
      return e.find("origins.products." + c.error) != std::string::npos;
    });
    EXPECT_TRUE(told) << c.keys << "\n" << fmt::format("{}", fmt::join(errors, "\n"));
    for (const auto& e : errors) EXPECT_EQ(e.find("pw"), std::string::npos) << e;
  }
}

TEST(SqlOriginTest, TwoMountsThatMatchTheSamePathsAreOneTooMany) {
  const std::string rest = "database: \"sqlite:///a.db\", query: \"SELECT $1\" }";
  EXPECT_EQ(parsed("origins: { a: { kind: sql, mount: \"/p/{id}\", " + rest +
                   ", b: { kind: sql, mount: \"/p/{name}\", " + rest + " }")
                .errors.size(),
            1U);
  good("origins: { a: { kind: sql, mount: \"/p/{id}\", " + rest +
       ", b: { kind: sql, mount: \"/p/{id}/reviews\", " + rest +
       ", c: { kind: generic, mount: /p/, upstream: \"http://127.0.0.1:9/\" } }");
}

TEST(SqlOriginTest, TheEffectiveOneReadsAsTheSameAndShowsNoPassword) {
  const std::string text = products(
      "mount: \"/s/{shop}\", database: \"postgres://app:s3cret@db/shop?password=also\", "
      "query: \"SELECT $1, $2, $3\", rows: many, notify: changes, "
      "params: { shop: integer, q: { type: text, optional: true }, n: { type: integer, default: 5 "
      "} }");
  const std::string shown = effective_yaml(good(text));
  EXPECT_EQ(shown.find("s3cret"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("also"), std::string::npos) << shown;
  EXPECT_NE(shown.find("rows: many"), std::string::npos) << shown;
  EXPECT_EQ(effective_yaml(good(shown)), shown);
}

TEST(SqlOriginTest, AnotherQueryIsAnotherServer) {
  const auto address = [](std::string_view more) {
    return good(products(std::string(kContract) + std::string(more)))
        .shield.origins.at(0)
        .upstreams.front()
        .base;
  };
  EXPECT_EQ(address(""), address(", ttl: 1h"));
  EXPECT_NE(address(""), address(", rows: many"));
}

TEST(SqlOriginTest, TheDemoIsAGoodConfiguration) {
  const Config config = good(demo_yaml("/tmp/a \"quoted\" place"));
  EXPECT_EQ(config.settings.at(0).sql.file, demo_file("/tmp/a \"quoted\" place"));
}

}  // namespace
}  // namespace tanggul::app
