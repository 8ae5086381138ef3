#include <fmt/format.h>

#include <fstream>

#include "app/config/config_for_test.h"
#include "tanggul/base/random.h"

namespace tanggul::app {
namespace {

using Lines = std::vector<std::string>;

// An origin that is whole, with one more line as its fourth key on line 5.
std::string origin_with(const std::string& line) {
  return "origins:\n  npm:\n    kind: npm\n    upstream: http://127.0.0.1:9010/\n    " + line +
         "\n";
}

TEST(ConfigErrors, NameFileLineColumnKeyAndWhatWouldBeRight) {
  const struct {
    const char* line;
    const char* error;  // after "t.yaml:5:5: origins.npm."
  } cases[] = {
      {"ttl: 24", "ttl: \"24\" has no unit; write 24h"},
      {"ttl: 0", "ttl: \"0\" has no unit; write 0s"},
      {"deadline: 90", "deadline: \"90\" has no unit; write 90s"},
      {"ttl: 24hours", "ttl: \"24hours\" has the unknown unit hours; write 24h"},
      {"ttl: 2w", "ttl: \"2w\" has the unknown unit w; use ms, s, m, h or d"},
      {"ttl: 1.5h", "ttl: \"1.5h\" is no whole number; write one like 24h"},
      {"ttl: -5s", "ttl: \"-5s\" is no duration; write one like 24h"},
      {"ttl: 99999999999999999999d",
       "ttl: \"99999999999999999999d\" is too large; the most is "
       "3650d"},
      {"ttl:", "ttl: has no value; write one, or leave the key out"},
      {"ttl: [1s]", "ttl: is a list; write one value"},
      {"ttl: ${NOPE}",
       "ttl: the environment variable NOPE is not set; set it, or write the value "
       "out"},
      {"ttl: \"${LIFE\"", "ttl: a ${ has no }; write ${NAME}"},
      {"tll: 24h", "tll: is no known key; did you mean ttl?"},
      {"max_object: 10GB", "max_object: \"10GB\" has the unknown unit GB; write 10GiB"},
      {"max_object: 10", "max_object: \"10\" has no unit; write 10GiB"},
      {"http2: yes", "http2: \"yes\" is none of its values; write one of true, false"},
      {"request_headers: some",
       "request_headers: \"some\" is none of its values; write one of selecting, all"},
      {"unclear_age: old",
       "unclear_age: \"old\" is none of its values; write one of ignore, stale"},
      {"targeted_cache_control: \"a b\"",
       "targeted_cache_control: \"a b\" is no header's name; write one like CDN-Cache-Control"},
      {"mount: npm/", "mount: \"npm/\" is no mount; write a path like /npm/"},
      {"mount: /a//b/", "mount: \"/a//b/\" is no mount; write a path like /npm/"},
      {"mount: /a/../b", "mount: \"/a/../b\" is no mount; write a path like /npm/"},
      {"mount: \"/p/{id}\"",
       "mount: \"/p/{id}\" is a template, which only kind sql has; write a "
       "path like /npm/"},
      {"mount: /.tanggul/x",
       "mount: \"/.tanggul/x\" lies below /.tanggul/, which is ours; write "
       "another path"},
      {"key_pattern: \"a\\\"b\"", "key_pattern: \"a\"b\" is no label; write 64 letters or fewer"},
      {"query: SELECT 1", "query: is a key of kind sql alone; leave it out"},
      {"auth: service",
       "auth: \"service\" names no credential; write { service: { header_env: "
       "NAME } }"},
      {"early_refresh_beta: -1", "early_refresh_beta: \"-1\" is no number from 0 to 100"},
      {"early_refresh_beta: nan", "early_refresh_beta: \"nan\" is no number from 0 to 100"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(parsed(origin_with(c.line)).errors,
              Lines{std::string("t.yaml:5:5: origins.npm.") + c.error})
        << c.line;
  }
}

TEST(ConfigErrors, NameTheKeysOfTheInnerMaps) {
  const struct {
    const char* map;
    const char* entry;
    const char* error;
  } cases[] = {
      {"negative", "server_error: 2m", "\"2m\" would block recovery; write 60s or less"},
      {"negative", "unreachable: 61s", "\"61s\" would block recovery; write 60s or less"},
      {"negative", "server: 1s", "is no known key; did you mean server_error?"},
      {"timeout", "min_rate: 1KiB", "\"1KiB\" is no rate of bytes; write one like 1KiB/s"},
      {"timeout", "connect: 0s", "\"0s\" is too short; the least is 1ms"},
      {"retry", "attempts: 6", "\"6\" is no whole number from 1 to 5"},
      {"retry", "attempts: 0", "\"0\" is no whole number from 1 to 5"},
      {"retry", "cap: 10ms", "is below base, 100ms; write that or more"},
      {"retry", "budget: 20%", "\"20%\" is no number from 0 to 1"},
      {"breaker", "failure_ratio: 0", "\"0\" is no number from 0.01 to 1"},
      {"breaker", "failure_ratio: 1.5", "\"1.5\" is no number from 0.01 to 1"},
      {"breaker", "probes: 0", "\"0\" is no whole number from 1 to 1000"},
      {"breaker", "max_open: 5s", "is below open_for, 15s; write that or more"},
      {"breaker", "when_open: wait", "\"wait\" is none of its values; write one of fail, hold"},
      {"breaker", "scope: galaxy", "\"galaxy\" is none of its values; write one of local, cluster"},
      {"limit", "concurrency: 0", "\"0\" is no whole number from 1 to 100000"},
      {"limit", "rate: 50", "\"50\" is no rate; write one like 50/s, 100/m or 1/3s"},
      {"limit", "rate: 0/s", "\"0/s\" would let nothing through; leave the key out for no limit"},
      {"limit", "queue: many", "\"many\" is no whole number from 0 to 1000000"},
      {"tls", "cert: a.pem", "a client certificate needs both cert and key; write both or neither"},
      {"key", "sort_query: 1", "\"1\" is none of its values; write one of true, false"},
  };
  for (const auto& c : cases) {
    const std::string key = std::string(c.entry).substr(0, std::string(c.entry).find(':'));
    const auto errors = parsed(origin_with(fmt::format("{}: {{ {} }}", c.map, c.entry))).errors;
    EXPECT_EQ(errors, Lines{fmt::format("t.yaml:5:{}: origins.npm.{}.{}: {}",
                                        std::string(c.map).size() + 9, c.map, key, c.error)});
  }
}

TEST(ConfigErrors, CoverWhatIsNotAnOrigin) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"listen: 8080",
       "t.yaml:1:1: listen: \"8080\" is no host:port; write one like "
       "127.0.0.1:8080"},
      {"listen: 127.0.0.1:99999",
       "t.yaml:1:1: listen: \"127.0.0.1:99999\" has an impossible port; "
       "use 0 to 65535"},
      {"admin: 127.0.0.1:8080",
       "t.yaml:1:1: admin: is the address of listen too; write another "
       "port"},
      {"threads: 0", "t.yaml:1:1: threads: \"0\" is no whole number from 1 to 256"},
      {"cache: { memory: 1KiB }",
       "t.yaml:1:10: cache.memory: \"1KiB\" is too small; the least is "
       "1MiB"},
      {"cache: 5GiB", "t.yaml:1:1: cache: is a word; write a map of keys"},
      {"cache: { memory: 0 }", "t.yaml:1:10: cache.memory: \"0\" is too small; the least is 1MiB"},
      {"lease: 0", "t.yaml:1:1: lease: \"0\" is too short; the least is 1s"},
      {"access_log: xml",
       "t.yaml:1:1: access_log: \"xml\" is none of its values; write one of "
       "text, json, off"},
      {"trusted_proxies: [10.0.0.0/33]",
       "t.yaml:1:1: trusted_proxies: \"10.0.0.0/33\" is no "
       "address; write one like 10.0.0.1 or 10.0.0.0/8"},
      {"public_url: ftp://x/",
       "t.yaml:1:1: public_url: \"ftp://x/\" has the scheme ftp; only http "
       "and https are spoken"},
      {"cluster: { secret: 0123456789abcdef }",
       "t.yaml:1:1: cluster.redis: is missing; write redis://HOST:PORT/DATABASE"},
      {"cluster: { redis: \"redis://127.0.0.1/\" }",
       "t.yaml:1:1: cluster.secret: gives no secret, and nodes know each other by one; name a "
       "variable that holds the same long random text on each node"},
      {"tls: { cert: a.pem }",
       "t.yaml:1:1: tls.key: is missing; TLS towards clients needs both cert and key"},
      {"tls: { key: a.pem }",
       "t.yaml:1:1: tls.cert: is missing; TLS towards clients needs both cert and key"},
      {"tls: { cert: \"\", key: k.pem }",
       "t.yaml:1:8: tls.cert: is empty; write a value, or leave the key out"},
      {"tls: {}", "t.yaml:1:1: tls.cert: is missing; TLS towards clients needs both cert and key"},
      {"tls: { cert: a.pem, key: b.pem, ca: c.pem }",
       "t.yaml:1:33: tls.ca: is no known key; the keys here are cert, key"},
      {"rollout: {}",
       "t.yaml:1:1: rollout: this version has no rollout controller; leave the key "
       "out"},
      {"lisen: 127.0.0.1:80", "t.yaml:1:1: lisen: is no known key; did you mean listen?"},
      {"- a", "t.yaml:1:1: the file: is a list; write a map of keys"},
      {"defaults: { ttl: 5 }", "t.yaml:1:13: defaults.ttl: \"5\" has no unit; write 5h"},
      {"origins: { npm: { kind: npm } }",
       "t.yaml:1:12: origins.npm.upstream: is missing; write "
       "the URL that this origin stands for"},
      {"origins: { npm: { upstream: \"http://h/\" } }",
       "t.yaml:1:12: origins.npm.kind: is missing; "
       "write one, npm, generic or sql"},
      {"origins: { NPM: { kind: npm, upstream: \"http://h/\" } }",
       "t.yaml:1:12: origins.NPM: is no name; write 1 to 64 of a-z, 0-9, _ and -"},
      {"origins: { n: { kind: nmp } }",
       "t.yaml:1:17: origins.n.kind: \"nmp\" is no kind; did you "
       "mean npm?"},
      {"origins: { n: { kind: pypi } }",
       "t.yaml:1:17: origins.n.kind: \"pypi\" is a kind that this "
       "version does not have; it has npm, generic and sql"},
  };
  for (const auto& c : cases) EXPECT_EQ(parsed(c.text).errors, Lines{c.error}) << c.text;
}

// Of a cluster that is whole but for what `keys` say.
LoadedConfig cluster_with(const std::string& keys, const std::string& top = "") {
  return parsed("cluster:\n  redis: redis://127.0.0.1/0\n  " + keys + "\n" + top);
}

TEST(ConfigErrors, NameWhatCannotBeOfACluster) {
  const std::string secret = "\n  secret: 0123456789abcdef";
  const struct {
    const char* line;
    const char* error;  // after "t.yaml:3:3: cluster."
  } cases[] = {
      {"advertise: http://0.0.0.0:19300",
       "advertise: \"http://0.0.0.0:19300\" names no address that other nodes could reach; write a "
       "URL like http://10.0.0.1:8080"},
      {"advertise: \"http://[::]:19300/\"",
       "advertise: \"http://[::]:19300/\" names no address that other nodes could reach; write a "
       "URL like http://10.0.0.1:8080"},
      {"advertise: http://me:hunter2@10.0.0.1:80",
       "advertise: \"http://***:***@10.0.0.1:80\" carries a credential; leave it out"},
      {"advertise: http://10.0.0.1:80/shield/",
       "advertise: \"http://10.0.0.1:80/shield/\" has a path; write a URL like "
       "http://10.0.0.1:8080"},
      {"advertise: \"\"", "advertise: is empty; write a value, or leave the key out"},
      {"node: a b",
       "node: \"a b\" is no name of a node; write 1 to 128 letters without spaces, braces and "
       "control characters"},
      {"node: \"a{b}\"",
       "node: \"a{b}\" is no name of a node; write 1 to 128 letters without spaces, braces and "
       "control characters"},
      {"memory: 0", "memory: \"0\" is too small; the least is 1MiB"},
      {"memory: 0MiB", "memory: \"0MiB\" is too small; the least is 1MiB"},
      {"memory: 64", "memory: \"64\" has no unit; write 64MiB"},
      {"prefix: \"a\\tb\"",
       "prefix: \"a?b\" is no beginning of a key; write one without spaces and braces"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(cluster_with(c.line + secret).errors,
              Lines{std::string("t.yaml:3:3: cluster.") + c.error})
        << c.line;
  for (const char* node : {"\"a\\u0001\"", "\"a\\u007f\"", "\"\\n\""})
    EXPECT_EQ(cluster_with("node: " + std::string(node) + secret).errors.size(), 1U) << node;
  EXPECT_EQ(cluster_with("node: " + std::string(129, 'n') + secret).errors.size(), 1U);
  EXPECT_EQ(cluster_with("node: ci-7.test:8080" + secret).errors, Lines{});
}

TEST(ConfigErrors, OfTheSecretAreOneForOneMistake) {
  EXPECT_EQ(cluster_with("secret: \"\"").errors,
            Lines{"t.yaml:3:3: cluster.secret: is empty; write a value, or leave the key out"});
  EXPECT_EQ(cluster_with("secret_env: \"\"").errors,
            Lines{"t.yaml:3:3: cluster.secret_env: is empty; write a value, or leave the key out"});
  EXPECT_EQ(cluster_with("secret: 0123456789abcdef\n  secret_env: NPM_AUTH").errors,
            Lines{"t.yaml:3:3: cluster.secret: stands beside secret_env; keep one of them"});
  const auto unset = cluster_with("secret_env: NOBODY").errors;
  ASSERT_EQ(unset.size(), 1U);
  EXPECT_TRUE(unset[0].starts_with("t.yaml:3:3: cluster.secret_env: gives no secret")) << unset[0];
  EXPECT_EQ(parsed("cluster: yes").errors,
            Lines{"t.yaml:1:1: cluster: is a word; write a map of keys"});
  EXPECT_EQ(parsed("tls: yes").errors, Lines{"t.yaml:1:1: tls: is a word; write a map of keys"});
  EXPECT_EQ(parsed("cluster: { redis: \"\", secret: 0123456789abcdef }").errors,
            Lines{"t.yaml:1:12: cluster.redis: is empty; write a value, or leave the key out"});
}

TEST(ConfigErrors, AreAllToldInTheOrderOfTheFile) {
  const auto errors = parsed(
                          "threads: many\norigins:\n  a:\n    kind: generic\n    ttl: 1\n"
                          "    upstream: gopher://h/\nlisten: x\n")
                          .errors;
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_TRUE(errors[0].starts_with("t.yaml:1:1: threads: "));
  EXPECT_TRUE(errors[1].starts_with("t.yaml:5:5: origins.a.ttl: "));
  EXPECT_TRUE(errors[2].starts_with("t.yaml:6:5: origins.a.upstream: "));
  EXPECT_TRUE(errors[3].starts_with("t.yaml:7:1: listen: "));
}

TEST(ConfigErrors, RefuseAKeyGivenTwice) {
  EXPECT_EQ(parsed("threads: 1\nclient:\n  idle: 1s\n  idle: 2s\n").errors,
            Lines{"t.yaml:4:3: client.idle: is already set on line 3; keep one"});
  EXPECT_EQ(parsed(R"({"threads": 1, "threads": 2})").errors,
            Lines{"t.yaml:1:16: threads: is already set on line 1; keep one"});
}

TEST(ConfigErrors, RefuseTwoOriginsAtOneMount) {
  const std::string text =
      "origins:\n  a: { kind: generic, mount: /x/, upstream: \"http://h/\" }\n"
      "  b: { kind: generic, mount: /x, upstream: \"http://h/\" }\n";
  EXPECT_EQ(parsed(text).errors,
            Lines{"t.yaml:3:23: origins.b.mount: \"/x/\" belongs to origin a already; write "
                  "another"});
}

TEST(ConfigErrors, RefuseAnUpstreamThatIsOurselves) {
  const struct {
    const char* head;
    const char* upstream;
    bool ours;
  } cases[] = {
      {"listen: 127.0.0.1:8080", "http://127.0.0.1:8080/npm/", true},
      {"listen: 127.0.0.1:8080", "http://LOCALHOST:8080/", true},
      {"listen: 127.0.0.1:8080", "http://127.0.0.1:8081/", true},
      {"listen: 0.0.0.0:8080", "http://127.0.0.1:8080/", true},
      {"listen: \"[::]:8080\"", "http://[::1]:8080/", true},
      {"public_url: https://tools.test/levee", "https://tools.test/levee/npm/", true},
      {"public_url: https://tools.test/levee", "https://tools.test:443/levee", true},
      {"public_url: https://tools.test/levee", "https://tools.test/npm/", false},
      {"listen: 127.0.0.1:8080", "http://127.0.0.1:9010/", false},
      {"listen: 127.0.0.1:8080", "http://registry.test:8080/", false},
  };
  for (const auto& c : cases) {
    const auto errors = parsed(fmt::format("{}\norigins:\n  n: {{ kind: npm, upstream: \"{}\" }}\n",
                                           c.head, c.upstream))
                            .errors;
    ASSERT_EQ(errors.size(), c.ours ? 1U : 0U) << c.head << c.upstream;
    if (c.ours) {
      EXPECT_NE(errors[0].find("is our own address"), std::string::npos) << errors[0];
    }
  }
  Overrides moved;
  moved.listen = "127.0.0.1:9010";
  EXPECT_EQ(parsed(origin_with("http2: true"), moved).errors.size(), 1U);
}

TEST(ConfigErrors, NeverQuoteACredential) {
  const std::string text =
      "origins:\n  n:\n    kind: npm\n    upstream:\n      - http://me:hunter2@h:99999/\n"
      "      - http://me:hunter2@h/?x\n      - http://you:hunter3@h/\n      - http://h/\n"
      "    mount: http://me:hunter2@h/\n";
  const auto errors = parsed(text).errors;
  EXPECT_EQ(errors.size(), 4U);
  for (const auto& error : errors) EXPECT_EQ(error.find("hunter"), std::string::npos) << error;
}

TEST(ConfigErrors, StopAtBrokenOrDangerousYaml) {
  EXPECT_EQ(parsed("a: [1").errors.size(), 1U);
  EXPECT_EQ(parsed("listen: &a x\nadmin: *a\n").errors,
            Lines{"t.yaml:1:9: anchors are not used here; write the value out"});
  EXPECT_EQ(parsed("listen: !!binary x").errors.size(), 1U);
  EXPECT_EQ(parsed(std::string(100'000, '[')).errors.size(), 1U);
  EXPECT_EQ(parsed("a: " + std::string(40, '[') + std::string(40, ']')).errors,
            Lines{"t.yaml:1:35: nested deeper than 32 levels"});
  EXPECT_EQ(parsed(std::string((1 << 20) + 1, '#')).errors,
            Lines{"t.yaml: is larger than 1MiB; no configuration is"});
  EXPECT_FALSE(parsed("threads: 1\n---\nthreads: 2\n").config);
  EXPECT_FALSE(parsed(R"({"listen": "\ud83d\ude00"})").config);
}

TEST(ConfigErrors, AreAllThatDamageToAFileCanDo) {
  const std::string whole =
      "listen: \"127.0.0.1:80\"\ncache: {memory: 64MiB}\norigins:\n  npm:\n    kind: npm\n"
      "    upstream: [\"http://u:p@h.test/\", http://u:p@[::1]:9/x]\n    ttl: ${LIFE}\n"
      "    limit: {rate: 1/3s, burst: 2}\n    auth: passthrough\n";
  constexpr std::string_view kBytes = ":{}[]\"'\n -,&*!|>%@$#/?.0\t\\\x01\xff\xc3";
  Rng rng(7);
  for (int round = 0; round < 5000; ++round) {
    std::string text = whole;
    for (std::uint64_t n = 1 + rng.bits() % 4; n > 0; --n) {
      const std::size_t at = rng.bits() % text.size();
      const char byte = kBytes[rng.bits() % kBytes.size()];
      switch (rng.bits() % 3) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, 1 + rng.bits() % 8);
          break;
      }
      if (text.empty()) text = " ";
    }
    const LoadedConfig loaded = parsed(text);
    ASSERT_EQ(loaded.config.has_value(), loaded.errors.empty()) << text;
    for (const auto& error : loaded.errors) ASSERT_TRUE(error.starts_with("t.yaml:")) << text;
    if (loaded.config) {
      const std::string printed = effective_yaml(*loaded.config);
      ASSERT_EQ(effective_yaml(good(printed)), printed) << text;
    }
  }
}

TEST(ConfigErrors, SayWhyAFileCannotBeRead) {
  const auto missing = load_config("/nonexistent/t.yaml", {}, usual_environment());
  EXPECT_EQ(missing.errors,
            Lines{"/nonexistent/t.yaml: cannot be read: No such file or directory"});
  EXPECT_EQ(load_config("/tmp", {}, usual_environment()).errors,
            Lines{"/tmp: cannot be read: it is a directory"});
}

}  // namespace
}  // namespace tanggul::app
