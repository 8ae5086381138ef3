#include "app/config/config.h"

#include <thread>

#include "app/config/config_for_test.h"
#include "base/base64.h"

namespace tanggul::app {
namespace {

// Every key that the contract names for the shield, none of them at its default.
constexpr const char* kEveryKey = R"(
listen: 127.0.0.1:7080
admin: "[::1]:7081"
admin_token_env: TANGGUL_TOKEN
once_token_env: TANGGUL_TOKEN
lease: 12s
data_dir: /srv/tanggul
threads: 3
cache: { memory: 64MiB, disk: 2GiB, sync: data }
access_log: json
public_url: https://tools.test/levee/
trusted_proxies: [10.0.0.0/8, "fd00::/8", 192.0.2.1]
client: { header: 5s, idle: 30s, stall: 20s, connections: 100, half_close: serve }
tls: { cert: /etc/t/cert.pem, key: "/etc/t/the key.pem" }
shutdown: 5s
defaults: { ttl: 12h, http2: true, max_object: 3GiB }
origins:
  npm:
    kind: npm
    mount: /pkg
    upstream: ["http://127.0.0.1:9010/a/", "https://h.test:8443"]
    auth: { service: { header_env: NPM_AUTH } }
    metadata_ttl: 30s
    ttl_jitter: 7s
    stale_while_revalidate: 5s
    stale_if_error: 2d
    override_origin: true
    early_refresh_beta: 1.5
    negative: { not_found: 90s, server_error: 0s, unreachable: 16s }
    deadline: 20s
    timeout: { connect: 1s, first_byte: 1500ms, idle: 10s, min_rate: 2KiB/s }
    key_pattern: packages
    retry: { attempts: 2, base: 50ms, cap: 5s, budget: 0.1 }
    breaker: { window: 20s, min_requests: 10, failure_ratio: 0.25, open_for: 10s, max_open: 40s, probes: 2, scope: local, when_open: hold, hold: 20s, hold_max: 50 }
    limit: { concurrency: 8, adaptive: true, rate: 1/3s, burst: 4, daily: 5000, queue: 10, queue_wait: 1s, scope: local }
    max_object: 1GiB
    max_body: 5MiB
    range_passthrough: 16MiB
    request_headers: all
    unclear_age: stale
    targeted_cache_control: [Tanggul-Cache-Control, CDN-Cache-Control]
    tls: { ca: ca.pem, cert: c.pem, key: k.pem }
  files:
    kind: generic
    mount: /
    upstream: http://me:${PASSWORD}@127.0.0.1:9011/files
    ttl: ${LIFE}
    key: { sort_query: true, drop_query: [utm, "x y"] }
)";

TEST(Config, ReadsEveryKeyOfTheProcess) {
  const Config c = good(kEveryKey);
  EXPECT_EQ(c.listen, "127.0.0.1:7080");
  EXPECT_EQ(c.admin, "[::1]:7081");
  EXPECT_EQ(c.admin_token_env, "TANGGUL_TOKEN");
  EXPECT_EQ(c.once_token_env, "TANGGUL_TOKEN");
  EXPECT_EQ(c.shield.lease_ttl, 12s);
  EXPECT_EQ(c.shield.once_max_object, 3_GiB);
  EXPECT_EQ(c.data_dir, "/srv/tanggul");
  EXPECT_EQ(c.threads, 3U);
  EXPECT_EQ(c.shield.memory, 64_MiB);
  EXPECT_EQ(c.shield.disk, 2_GiB);
  EXPECT_EQ(c.cache_sync, CacheSync::data);
  EXPECT_EQ(c.access_log, AccessLog::json);
  EXPECT_EQ(c.shield.public_url, "https://tools.test/levee");
  EXPECT_EQ(c.trusted_proxies.size(), 3U);
  EXPECT_EQ(c.client.header, 5s);
  EXPECT_EQ(c.client.stall, 20s);
  EXPECT_EQ(c.client.connections, 100U);
  EXPECT_EQ(c.client.half_close, HalfClose::serve);
  EXPECT_EQ(c.tls.cert, "/etc/t/cert.pem");
  EXPECT_EQ(c.tls.key, "/etc/t/the key.pem");
  EXPECT_EQ(c.shutdown, 5s);
  EXPECT_EQ(c.warnings, std::vector<std::string>{});
}

TEST(Config, ReadsEveryKeyOfAnOrigin) {
  const Config c = good(kEveryKey);
  ASSERT_EQ(c.shield.origins.size(), 2U);
  const auto& o = c.shield.origins[0];
  EXPECT_EQ(o.mount, "/pkg/");
  ASSERT_EQ(o.upstreams.size(), 2U);
  EXPECT_EQ(o.upstreams[0].base, "http://127.0.0.1:9010");
  EXPECT_EQ(o.upstreams[0].path, "/a");
  EXPECT_EQ(o.upstreams[1].base, "https://h.test:8443");
  EXPECT_EQ(o.service_auth, "Bearer s3cret");
  EXPECT_EQ(o.freshness.ttl, 12h);
  EXPECT_EQ(o.freshness.ttl_jitter, 7s);
  EXPECT_EQ(o.negative.jitter, 7s);
  EXPECT_EQ(o.negative.server_error, 0s);
  EXPECT_EQ(o.timeouts.first_byte, 1500ms);
  EXPECT_EQ(o.timeouts.min_rate, 2_KiB);
  EXPECT_EQ(o.retry_budget, 0.1);
  EXPECT_EQ(o.breaker.failure_ratio, 0.25);
  EXPECT_DOUBLE_EQ(o.limit.rate, 1.0 / 3);
  EXPECT_TRUE(o.limit.adaptive && o.http2 && o.freshness.override_origin);
  EXPECT_EQ(o.tls.key, "k.pem");
  EXPECT_EQ(o.range_passthrough, 16_MiB);
  EXPECT_TRUE(o.all_request_headers && o.freshness.distrust_unclear_age);
  EXPECT_EQ(o.targeted, (std::vector<std::string>{"Tanggul-Cache-Control", "CDN-Cache-Control"}));
  for (const auto& pattern : o.key_patterns) EXPECT_EQ(pattern, "packages");
}

TEST(Config, TakesTheCredentialOutOfTheUpstreamAndExpandsTheEnvironment) {
  const Config c = good(kEveryKey);
  const auto& o = c.shield.origins[1];
  EXPECT_EQ(o.upstreams[0].base, "http://127.0.0.1:9011");
  EXPECT_EQ(o.upstreams[0].path, "/files");
  EXPECT_EQ(o.service_auth, "Basic " + to_base64("me:p@ss"));
  EXPECT_EQ(o.freshness.ttl, 36h);
  EXPECT_EQ(o.mount, "/");
}

TEST(Config, PrintsItsEffectiveFormWithoutSecretsAndReadsItBack) {
  const std::string first = effective_yaml(good(kEveryKey));
  EXPECT_EQ(first.find("p@ss"), std::string::npos);
  EXPECT_EQ(first.find("s3cret"), std::string::npos);
  EXPECT_NE(first.find("http://***:***@127.0.0.1:9011/files/"), std::string::npos) << first;
  EXPECT_EQ(effective_yaml(good(first)), first);
  for (const char* changed :
       {"ttl: 12h", "rate: 1/3s", "early_refresh_beta: 1.5", "burst: 4",
        "drop_query: [\"utm\", \"x y\"]", "range_passthrough: 16MiB", "when_open: hold",
        "request_headers: all", "unclear_age: stale",
        "targeted_cache_control: [\"Tanggul-Cache-Control\", \"CDN-Cache-Control\"]", "hold: 20s",
        "hold_max: 50", "first_byte: 1500ms", "daily: 5000",
        "\ntls:\n  cert: \"/etc/t/cert.pem\"\n  key: \"/etc/t/the key.pem\"\n"}) {
    EXPECT_NE(first.find(changed), std::string::npos) << changed;
  }
}

TEST(Config, PrintsEveryDefault) {
  const std::string text =
      effective_yaml(good("origins: { npm: { kind: npm, upstream: \"http://h.test\" } }"));
  for (const char* line : {"mount: \"/npm/\"",
                           "ttl: 24h",
                           "metadata_ttl: 60s",
                           "ttl_jitter: 30s",
                           "stale_while_revalidate: 10s",
                           "stale_if_error: 24h",
                           "not_found: 60s",
                           "server_error: 20s",
                           "unreachable: 30s",
                           "deadline: 60s",
                           "connect: 2s",
                           "first_byte: 5s",
                           "idle: 30s",
                           "min_rate: 1KiB/s",
                           "attempts: 3",
                           "base: 100ms",
                           "cap: 10s",
                           "budget: 0.2",
                           "window: 10s",
                           "min_requests: 20",
                           "failure_ratio: 0.5",
                           "open_for: 15s",
                           "max_open: 60s",
                           "probes: 3",
                           "concurrency: 32",
                           "queue: 1000",
                           "queue_wait: 5s",
                           "max_object: 10GiB",
                           "memory: 256MiB",
                           "disk: 10GiB",
                           "connections: 20000",
                           "shutdown: 30s",
                           "range_passthrough: 256MiB",
                           "request_headers: selecting",
                           "unclear_age: ignore",
                           "targeted_cache_control: []"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

// Every lifetime of ours off: what the file leaves open follows the RFC.
constexpr const char* kPlain =
    "kind: generic, upstream: \"http://h.test\", ttl: 0s, metadata_ttl: 0s, "
    "stale_while_revalidate: 0s, stale_if_error: 0s";

TEST(Config, AnOriginWithoutLifetimesOfOursIsAPlainCache) {
  const Config c = good(std::string("origins: { a: { ") + kPlain + " } }");
  const auto& o = c.shield.origins[0];
  EXPECT_TRUE(o.all_request_headers);
  EXPECT_EQ(o.retry.attempts, 1);
  EXPECT_EQ(o.negative.server_error, 0s);
  EXPECT_EQ(o.negative.unreachable, 30s);
  const std::string text = effective_yaml(c);
  EXPECT_EQ(effective_yaml(good(text)), text);
}

TEST(Config, WhatTheFileSaysOfAPlainCacheHolds) {
  const Config c =
      good(std::string("defaults: { retry: { attempts: 2 } }\norigins: { a: { ") + kPlain +
           ", request_headers: selecting, negative: { server_error: 15s } } }");
  const auto& o = c.shield.origins[0];
  EXPECT_FALSE(o.all_request_headers);
  EXPECT_EQ(o.retry.attempts, 2);
  EXPECT_EQ(o.negative.server_error, 15s);
}

TEST(Config, OneLifetimeOfOursMakesItNoPlainCache) {
  for (const char* kept : {"ttl: 1h", "metadata_ttl: 1s", "stale_if_error: 1s"}) {
    const Config c =
        good(std::string("origins: { a: { kind: generic, upstream: \"http://h.test\", ") + kept +
             " } }");
    EXPECT_FALSE(c.shield.origins[0].all_request_headers) << kept;
    EXPECT_EQ(c.shield.origins[0].retry.attempts, 3) << kept;
  }
  const Config npm = good(
      "origins: { a: { kind: npm, upstream: \"http://h.test\", ttl: 0s, metadata_ttl: 0s, "
      "stale_while_revalidate: 0s, stale_if_error: 0s } }");
  EXPECT_FALSE(npm.shield.origins[0].all_request_headers);
}

TEST(Config, AnEmptyFileIsAllDefaultsAndLeavesOriginsToDiscovery) {
  for (const char* text : {"", "# nothing\n", "{}", "defaults:\n"}) {
    const Config c = good(text);
    EXPECT_EQ(c.listen, "127.0.0.1:8080");
    EXPECT_EQ(c.data_dir, "/home/ci/.local/share/tanggul");
    EXPECT_EQ(c.threads, std::max(1U, std::thread::hardware_concurrency()));
    EXPECT_FALSE(c.names_origins);
  }
  EXPECT_TRUE(good("origins: {}").names_origins);
}

TEST(Config, ReadsJsonWithTabsAsTheYamlItIs) {
  const Config c = good(
      "{\n\t\"threads\": 2,\n\t\"origins\": {\n\t\t\"a\": {\"kind\": \"generic\","
      "\"upstream\": \"http:\\/\\/h.test\\u002fx\"}\n\t}\n}\n");
  ASSERT_EQ(c.shield.origins.size(), 1U);
  EXPECT_EQ(c.shield.origins[0].upstreams[0].path, "/x");
  EXPECT_EQ(c.threads, 2U);
}

TEST(Config, AnOriginWinsOverTheDefaults) {
  const Config c = good(R"(
defaults:
  auth: { service: { header_env: NPM_AUTH } }
  limit: { concurrency: 4, queue: 7 }
  upstream: http://h.test/all/
origins:
  a: { kind: generic, limit: { concurrency: 9 } }
  b: { kind: generic, upstream: "http://me:x@h.test/" }
  c: { kind: generic, auth: passthrough }
)");
  ASSERT_EQ(c.shield.origins.size(), 3U);
  EXPECT_EQ(c.shield.origins[0].limit.concurrency, 9);
  EXPECT_EQ(c.shield.origins[0].limit.queue, 7U);
  EXPECT_EQ(c.shield.origins[0].upstreams[0].path, "/all");
  EXPECT_EQ(c.shield.origins[0].service_auth, "Bearer s3cret");
  EXPECT_EQ(c.shield.origins[1].service_auth, "Basic " + to_base64("me:x"));
  EXPECT_EQ(c.shield.origins[2].service_auth, "");
}

TEST(Config, TheCommandLineWinsOverTheFile) {
  const Overrides overrides{"127.0.0.1:1", "127.0.0.1:2", "/elsewhere", {}};
  const Config c = good("listen: 127.0.0.1:7\nadmin: 127.0.0.1:8\ndata_dir: /x\n", overrides);
  EXPECT_EQ(c.listen, "127.0.0.1:1");
  EXPECT_EQ(c.admin, "127.0.0.1:2");
  EXPECT_EQ(c.data_dir, "/elsewhere");
  EXPECT_EQ(parsed("", {"nonsense", {}, {}, {}}).errors.size(), 1U);
}

TEST(Config, ReadsEveryKeyOfTheCluster) {
  const Config c = good(
      "cluster: { redis: \"redis://user:word@10.0.0.5:7000/3\", node: a, "
      "advertise: \"http://10.0.0.1:8080/\", secret: 0123456789abcdef, ca: nodes.pem, prefix: p, "
      "memory: 64MiB }");
  EXPECT_EQ(c.cluster.address.hosts.front().name, "10.0.0.5");
  EXPECT_EQ(c.cluster.address.database, 3);
  EXPECT_EQ(c.cluster.node, "a");
  EXPECT_EQ(c.cluster.advertise, "http://10.0.0.1:8080");
  EXPECT_EQ(c.cluster.secret, "0123456789abcdef");
  EXPECT_EQ(c.cluster.ca, "nodes.pem");
  EXPECT_EQ(c.cluster.prefix, "p");
  EXPECT_EQ(c.cluster.memory, 64_MiB);
  const std::string shown = effective_yaml(c);
  EXPECT_EQ(shown.find("word"), std::string::npos);
  EXPECT_EQ(shown.find("0123456789abcdef"), std::string::npos);
  EXPECT_NE(shown.find("advertise: \"http://10.0.0.1:8080\""), std::string::npos) << shown;
}

TEST(Config, ANodeThatListensAnywhereMustSayWhereItIs) {
  const auto read = parse_config(
      "listen: 0.0.0.0:8080\n"
      "cluster: { redis: \"redis://127.0.0.1\", "
      "secret: 0123456789abcdef }",
      "t.yaml", {}, usual_environment());
  ASSERT_EQ(read.errors.size(), 1U);
  EXPECT_NE(read.errors.front().find("cluster.advertise: is missing"), std::string::npos);
}

TEST(Config, WarnsOfWhatIsAllowedButUnwise) {
  const struct {
    const char* text;
    const char* warning;
  } cases[] = {
      {"defaults: { negative: { server_error: 5s } }", "so short"},
      {"defaults: { negative: { unreachable: 14s } }", "so short"},
      {"defaults: { breaker: { max_open: 5m } }", "recovered origin waiting"},
      {"admin_token_env: NOBODY", "NOBODY is not set"},
      {"once_token_env: NOBODY", "NOBODY is not set"},
      {"admin: 0.0.0.0:8081", "open to other machines"},
      {"cluster: { redis: \"redis://10.0.0.5/0\", secret: 0123456789abcdef }",
       "no other machine reaches it"},
      {"cluster: { redis: \"redis://127.0.0.1/0\", secret: short }", "can be guessed"},
      {"cluster: { redis: \"redis://127.0.0.1/0\", secret: \"a                    \" }",
       "can be guessed"},
      {"cluster: { redis: \"redis://127.0.0.1/0\", secret: 0123456789abcdef, "
       "advertise: \"https://10.0.0.1:8080\" }",
       "advertise: is https, and there is no tls"},
      {"tls: { cert: c.pem, key: k.pem }\n"
       "cluster: { redis: \"redis://127.0.0.1/0\", secret: 0123456789abcdef, "
       "advertise: \"http://10.0.0.1:8080\" }",
       "advertise: is http, and listen speaks TLS"},
  };
  for (const auto& c : cases) {
    const auto warnings = good(c.text).warnings;
    ASSERT_EQ(warnings.size(), 1U) << c.text;
    EXPECT_NE(warnings[0].find(c.warning), std::string::npos) << warnings[0];
    EXPECT_TRUE(warnings[0].starts_with("t.yaml:1:") || warnings[0].starts_with("t.yaml:2:"));
  }
  EXPECT_TRUE(good("defaults: { negative: { server_error: 0s } }").warnings.empty());
}

}  // namespace
}  // namespace tanggul::app
