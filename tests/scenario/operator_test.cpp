// What an operator does to a shield that runs: reload, purge; and what nobody else may.
#include <atomic>
#include <csignal>
#include <thread>

#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

std::size_t lines_with(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// Clients that never pause, and whether all of them got what they asked for.
class Load {
 public:
  Load(std::uint16_t port, std::vector<std::string> targets) {
    for (int i = 0; i < 2; ++i)
      threads_.emplace_back([this, port, targets] {
        while (!over_) {
          const auto results = burst(port, targets.size(), [&](std::size_t n) {
            RequestSpec spec;
            spec.target = targets[n];
            return spec;
          });
          sent_ += results.size();
          failed_ += results.size() - with_status(results, 200);
        }
      });
  }
  ~Load() { finish(); }
  void finish() {
    over_ = true;
    for (auto& t : threads_)
      if (t.joinable()) t.join();
  }
  std::size_t sent() const { return sent_; }
  std::size_t failed() const { return failed_; }

 private:
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> sent_{0}, failed_{0};
  std::vector<std::thread> threads_;
};

void await_more(const Load& load, std::size_t more = 200) {
  const std::size_t until = load.sent() + more;
  ASSERT_TRUE(eventually([&] { return load.sent() >= until; }));
}

TEST(Reload, ABadFileUnderLoadChangesNothingAndSaysSoOnOneLine) {
  ScriptedOrigin origin(body_of(1000));
  TanggulProcess shield(generic_yaml(origin));
  Load load(shield.port(), {"/o/a", "/o/b", "/o/c", "/o/d"});
  await_more(load);
  const std::string good = read_file(shield.dir().file("tanggul.yaml"));
  for (const std::string& bad :
       {good + "    ttl: 24\n    nonsense: 1\n", std::string("origins: ["), std::string()}) {
    const auto before = lines_with(shield.process().err(), "the configuration stays as it was");
    shield.dir().write("tanggul.yaml", bad);
    shield.process().signal(SIGHUP);
    EXPECT_TRUE(
        eventually([&] { return lines_with(shield.process().err(), "stays as it was") > before; }));
    await_more(load);
    EXPECT_EQ(lines_with(shield.process().err(), "stays as it was"), before + 1);
  }
  EXPECT_NE(shield.process().err().find("tanggul.yaml:7:5: origins.o.ttl: \"24\""),
            std::string::npos)
      << shield.process().err();
  load.finish();
  EXPECT_EQ(load.failed(), 0U);
  EXPECT_EQ(shield.get("/o/e").status, 200);
  expect_calm(shield);
}

TEST(Reload, AGoodFileTakesEffectUnderLoadAndKeepsWhatIsKnown) {
  ScriptedOrigin origin(body_of(1000)), other(body_of(2000));
  TanggulProcess shield(generic_yaml(origin, "    breaker: { min_requests: 5 }\n"));
  ASSERT_EQ(shield.get("/o/kept").status, 200);
  Load load(shield.port(), {"/o/kept", "/o/b"});
  await_more(load);
  std::string more = generic_yaml(origin, "    breaker: { min_requests: 6 }\n    ttl: 1h\n");
  more += "  p:\n    kind: generic\n    mount: /p/\n    upstream: " + other.url() + "\n";
  for (int i = 0; i < 20; ++i) {
    shield.dir().write("tanggul.yaml", i % 2 == 0 ? more : generic_yaml(origin));
    shield.process().signal(SIGHUP);
    await_more(load, 50);
  }
  shield.dir().write("tanggul.yaml", more);
  shield.process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return shield.get("/p/x").status == 200; }));
  EXPECT_EQ(shield.get("/p/x").body_size, 2000U);
  load.finish();
  EXPECT_EQ(load.failed(), 0U);
  EXPECT_EQ(origin.requests("/kept"), 1U);  // what was cached still is
  expect_calm(shield);
}

TEST(Reload, AnOpenBreakerStaysOpenAndARemovedOriginsGaugesGo) {
  ScriptedOrigin origin(failing(503));
  const std::string yaml =
      generic_yaml(origin, "    breaker: { min_requests: 2 }\n    retry: { attempts: 1 }\n");
  TanggulProcess shield(yaml);
  for (int i = 0; i < 3; ++i) shield.get("/o/" + std::to_string(i));
  ASSERT_EQ(shield.metric("tanggul_breaker_state{origin=\"o\"}"), 2);
  shield.dir().write("tanggul.yaml", yaml + "    ttl: 2h\n");
  shield.process().signal(SIGHUP);
  ASSERT_TRUE(shield.process().wait_for_output("was read again", 20s));
  EXPECT_EQ(shield.metric("tanggul_breaker_state{origin=\"o\"}"), 2);
  EXPECT_EQ(shield.get("/o/z").status, 503);
  std::string renamed = yaml;
  renamed.replace(renamed.find("  o:\n"), 5, "  q:\n");
  shield.dir().write("tanggul.yaml", renamed);
  shield.process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] {
    return shield.metrics().find("tanggul_breaker_state{origin=\"o\"}") == std::string::npos;
  }));
  EXPECT_EQ(shield.metric("tanggul_breaker_state{origin=\"q\"}"), 0);
}

TEST(Reload, SaysWhatOnlyARestartChanges) {
  ScriptedOrigin origin(body_of(100));
  TanggulProcess shield(generic_yaml(origin));
  shield.dir().write("tanggul.yaml", generic_yaml(origin, "", "threads: 7\n"));
  shield.process().signal(SIGHUP);
  EXPECT_TRUE(shield.process().wait_for_output("only a restart changes threads", 20s));
  EXPECT_EQ(shield.get("/o/a").status, 200);
}

CommandResult tanggul(std::vector<std::string> args) {
  args.insert(args.begin(), tanggul_binary());
  return run_command({.args = std::move(args)});
}

TEST(Purge, ByUrlPrefixAndOrigin) {
  ScriptedOrigin origin(body_of(1000));
  TanggulProcess shield(generic_yaml(origin));
  const auto fill = [&] {
    for (const char* t : {"/o/a", "/o/dir/1", "/o/dir/2"}) ASSERT_EQ(shield.get(t).status, 200);
    origin.reset_counts();
  };
  fill();
  const std::vector<std::string> base = {"purge", "--admin", shield.admin_url()};
  const auto purge = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return tanggul(std::move(more));
  };
  const auto one = purge({shield.url() + "/o/a"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, "purged 1 entries and 0 running fetches\n");
  fill();
  EXPECT_EQ(purge({"--prefix", "/o/dir/", "--json"}).out,
            "{\"entries\":2,\"flights\":0,\"unknown\":[]}\n");
  shield.get("/o/dir/1");
  EXPECT_EQ(origin.requests("/dir/1"), 1U);
  fill();
  EXPECT_EQ(purge({"--origin", "o"}).out, "purged everything of origin o and 0 running fetches\n");
  shield.get("/o/dir/1");
  EXPECT_EQ(origin.requests("/dir/1"), 1U);
  const auto unknown = purge({"--origin", "zz", "/o/a"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("no origin has \"zz\""), std::string::npos) << unknown.err;
  EXPECT_EQ(purge({}).status, 2);
  shield.stop();
  EXPECT_EQ(purge({"/o/a"}).status, 1);
}

TEST(Purge, ARunningBodyIsDeliveredButNotStored) {
  Script slow = body_of(200'000);
  slow.bytes_per_second = 200'000;
  ScriptedOrigin origin(slow);
  TanggulProcess shield(generic_yaml(origin));
  ClientResult whole;
  std::thread client([&] { whole = shield.get("/o/a"); });
  EXPECT_TRUE(eventually([&] { return origin.requests() > 0; }));
  EXPECT_EQ(tanggul({"purge", "--admin", shield.admin_url(), "/o/a"}).out,
            "purged 0 entries and 1 running fetches\n");
  client.join();
  EXPECT_TRUE(whole.complete);
  shield.get("/o/a");
  EXPECT_EQ(origin.requests(), 2U);
}

RequestSpec post(std::uint16_t port, HeaderList headers) {
  RequestSpec spec;
  spec.method = "POST";
  spec.target = "/api/purge";
  spec.headers = std::move(headers);
  spec.headers.emplace_back("Host", "127.0.0.1:" + std::to_string(port));
  spec.body = R"({"origins":["o"]})";
  return spec;
}

TEST(Purge, NoWebPageCanDoIt) {
  ScriptedOrigin origin(body_of(1000));
  TanggulProcess shield(generic_yaml(origin));
  ASSERT_EQ(shield.get("/o/a").status, 200);
  const std::uint16_t port = shield.admin_port();
  const std::pair<std::string, std::string> json = {"Content-Type", "application/json"};
  // What browsers send for a page of another origin, of no origin, and for a plain form.
  for (const HeaderList& headers :
       {HeaderList{json, {"Origin", "https://evil.example"}}, HeaderList{json, {"Origin", "null"}},
        HeaderList{json, {"Origin", "http://127.0.0.1:" + std::to_string(port + 1)}},
        HeaderList{json, {"Sec-Fetch-Site", "cross-site"}},
        HeaderList{json, {"Sec-Fetch-Site", "same-site"}}})
    EXPECT_EQ(send_request(port, post(port, headers)).status, 403);
  EXPECT_EQ(send_request(port, post(port, {{"Content-Type", "text/plain"}})).status, 415);
  RequestSpec rebound = post(port, {json});
  rebound.headers = {json, {"Host", "evil.example"}};
  EXPECT_EQ(send_request(port, rebound).status, 403);
  const auto preflight = send_request(port, [&] {
    RequestSpec spec = post(port, {{"Origin", "https://evil.example"}});
    spec.method = "OPTIONS";
    return spec;
  }());
  EXPECT_EQ(preflight.status, 403);
  EXPECT_FALSE(preflight.headers.has("access-control-allow-origin"));
  shield.get("/o/a");
  EXPECT_EQ(origin.requests(), 1U);  // nothing was purged
  EXPECT_EQ(send_request(port, post(port, {json})).status, 200);
  shield.get("/o/a");
  EXPECT_EQ(origin.requests(), 2U);
}

TEST(Purge, BadBodiesAreTold) {
  ScriptedOrigin origin(body_of(1000));
  TanggulProcess shield(generic_yaml(origin));
  const std::uint16_t port = shield.admin_port();
  for (const char* body : {"", "{", "[]", "{}", R"({"urls":"/o/a"})", R"({"urls":[1]})",
                           R"({"url":["/o/a"]})", R"({"urls":[""]})"}) {
    RequestSpec spec = post(port, {{"Content-Type", "application/json"}});
    spec.body = body;
    EXPECT_EQ(send_request(port, spec).status, 400) << body;
  }
  RequestSpec large = post(port, {{"Content-Type", "application/json"}});
  large.body = std::string(2'000'000, ' ');
  EXPECT_EQ(send_request(port, large).status, 413);
  EXPECT_EQ(get(port, "/api/purge").status, 405);
}

}  // namespace
}  // namespace tanggul::test
