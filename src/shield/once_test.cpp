#include "shield/once.h"

#include <boost/json.hpp>

#include "http/repr_digest.h"
#include "shield/held_lease.h"
#include "shield/internal_paths.h"
#include "shield/local_cluster.h"
#include "shield/pipeline_for_test.h"
#include "shield/purge.h"

namespace tanggul::shield {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

// A request's body as a client sends it.
class SentBody final : public ports::RequestBody {
 public:
  SentBody(std::string bytes, std::optional<ByteCount> told, std::size_t breaks_at)
      : bytes_(std::move(bytes)), told_(told), breaks_at_(breaks_at) {}
  std::optional<ByteCount> length() const override { return told_; }
  bool touched() const override { return at_ > 0; }
  Task<Result<std::size_t>> read_some(char* to, std::size_t size) override {
    if (at_ >= breaks_at_) co_return Errc::cancelled;
    const std::size_t n = std::min({size, bytes_.size() - at_, std::size_t{10'000}});
    bytes_.copy(to, n, at_);
    at_ += n;
    co_return n;
  }

 private:
  const std::string bytes_;
  const std::optional<ByteCount> told_;
  const std::size_t breaks_at_;
  std::size_t at_ = 0;
};

struct Ask {
  std::string method, target;
  Lines lines;
  std::string body;
  bool chunked = false;
  std::size_t breaks_at = std::string::npos;
};

struct Asker {
  Ask ask;
  ports::Call call;
  ports::Reply reply;
  int status = 0;
  std::string head, body;
  bool done = false;

  std::string member(std::string_view key) const {
    boost::system::error_code error;
    const auto value = boost::json::parse(body, error);
    const auto* v = error || !value.is_object() ? nullptr : value.get_object().if_contains(key);
    if (v == nullptr) return {};
    return v->is_string() ? std::string(v->get_string()) : boost::json::serialize(*v);
  }
  std::string state() const { return member("state"); }
};

Task<void> play(ports::Handler& handler, Asker& a) {
  if (!handler.answer_now(a.call, a.reply)) co_await handler.answer(a.call, a.reply);
  a.status = a.reply.status;
  a.head = std::string(a.reply.head) + a.reply.lines;
  a.body = a.reply.body;
  while (a.reply.stream) {
    const auto piece = co_await a.reply.stream->next(a.call.waiter);
    if (!piece || piece->size == 0) break;
    a.body += bytes_of(*piece);
  }
  a.done = true;
  a.reply.reset();
}

class OnceTest : public PipelineTest {
 protected:
  OnceTest() { make({}); }
  ~OnceTest() override {
    for (auto& a : askers_) a.call.waiter->close();
    pass(10ms);
  }

  void make(std::string token) {
    paths_.reset();
    OnceConfig config;
    config.token = std::move(token);
    once_ = std::make_unique<Once>(*shield_, *leases_, *store_, Outside(origin), config,
                                   leases_lost(*metrics_));
    paths_ = std::make_unique<InternalPaths>(
        *shield_, InternalPaths::Handlers{{std::string(kOncePath), once_.get()}});
  }
  Asker& ask(Ask what) {
    Asker& a = askers_.emplace_back();
    a.ask = std::move(what);
    a.call.head.method = a.ask.method;
    a.call.head.target = a.ask.target;
    for (const auto& [name, value] : a.ask.lines) a.call.head.headers.push_back({name, value});
    a.call.client = client_;
    a.call.authority = authority_;
    if (a.ask.chunked || !a.ask.body.empty())
      a.call.body = std::make_shared<SentBody>(
          a.ask.body, a.ask.chunked ? std::nullopt : std::optional<ByteCount>(a.ask.body.size()),
          a.ask.breaks_at);
    a.call.waiter = async::Waiter::make(io.get_executor());
    async::spawn(io.get_executor(), "ask", play(*paths_, a));
    settle();
    return a;
  }
  Asker& claim(std::string who, int wait = 0, std::string key = "k") {
    Lines lines;
    if (wait > 0) lines.push_back({"Prefer", "wait=" + std::to_string(wait)});
    return ask({"POST", once_path(key), lines, R"({"who":")" + who + "\"}"});
  }
  static Lines lease_lines(const Asker& claimed) {
    return {{"Tanggul-Lease", claimed.member("token")}, {"Tanggul-Fence", claimed.member("fence")}};
  }
  static Ask upload(const Asker& claimed, std::string body, std::string key = "k") {
    Lines lines = lease_lines(claimed);
    const std::string sum = Digest::of(DigestKind::sha256, body);
    lines.push_back({"Repr-Digest", http::write_repr_digest(sum)});
    lines.push_back({"X-Tanggul-Built-By", "builder:1"});
    return {"PUT", once_path(key), lines, std::move(body)};
  }
  Asker& post(const Asker& claimed, std::string verb, std::string body = {}) {
    return ask({"POST", once_path("k", verb), lease_lines(claimed), std::move(body)});
  }
  Asker& fetch(std::string key = "k") { return ask({"GET", once_path(key), {}, {}}); }
  std::uint64_t lost() { return leases_lost(*metrics_).value(); }

  LocalCluster cluster_;
  std::unique_ptr<ports::Leases> leases_ = cluster_.leases();
  std::unique_ptr<ports::SharedStore> store_ = cluster_.store();
  std::unique_ptr<Once> once_;
  std::unique_ptr<InternalPaths> paths_;
  std::deque<Asker> askers_;
  std::string client_ = "127.0.0.1", authority_ = "127.0.0.1:8080";
};

TEST_F(OnceTest, OneOfAllBuildsAndTheOthersGetItsFile) {
  Asker& builder = claim("a:1");
  ASSERT_EQ(builder.state(), "build");
  EXPECT_EQ(builder.member("ttl_seconds"), "3E1");
  std::vector<Asker*> waiters;
  for (int i = 0; i < 20; ++i) waiters.push_back(&claim("b", 60));
  pass(5s);
  for (const Asker* w : waiters) EXPECT_FALSE(w->done);
  EXPECT_EQ(claim("c").state(), "building");
  EXPECT_EQ(claim("c").member("by"), "a:1");
  Asker& stored = ask(upload(builder, "the file"));
  EXPECT_EQ(stored.status, 200) << stored.body;
  settle();
  for (const Asker* w : waiters) EXPECT_EQ(w->state(), "ready");
  Asker& got = fetch();
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "the file");
  EXPECT_NE(got.head.find("Repr-Digest: " +
                          http::write_repr_digest(Digest::of(DigestKind::sha256, "the file"))),
            std::string::npos);
  EXPECT_NE(got.head.find("X-Tanggul-Built-By: builder:1\r\n"), std::string::npos);
  const auto builds = shield_->once_builds().latest();
  ASSERT_EQ(builds.size(), 1U);
  EXPECT_EQ(builds[0].key, "k");
  EXPECT_EQ(builds[0].by, "builder:1");
  EXPECT_EQ(builds[0].size, 8U);
}

TEST_F(OnceTest, AFileIsKeptForADay) {
  ask(upload(claim("a"), "x"));
  clock.advance(24h - 1s);
  EXPECT_EQ(claim("b").state(), "ready");
  clock.advance(1s);
  EXPECT_EQ(fetch().status, 404);
  EXPECT_EQ(claim("b").state(), "build");
}

TEST_F(OnceTest, AnEmptyFileIsAFile) {
  Ask what = upload(claim("a"), "");
  EXPECT_EQ(ask(what).status, 200);
  EXPECT_EQ(fetch().status, 200);
  EXPECT_EQ(fetch().body, "");
}

TEST_F(OnceTest, WhenABuilderDiesAnotherBuildsWhenItsLeaseHasRunOut) {
  Asker& dead = claim("a");
  Asker& waiter = claim("b", 60);
  pass(20s);
  EXPECT_EQ(post(dead, "renew").state(), "held");
  pass(29s);
  EXPECT_FALSE(waiter.done);
  pass(2s);
  EXPECT_EQ(waiter.state(), "build");
  EXPECT_EQ(post(dead, "renew").status, 409);
}

TEST_F(OnceTest, WhatComesAfterItsLeaseIsRefusedAndCounted) {
  Asker& slow = claim("a");
  clock.advance(30s);
  Asker& next = claim("b");
  ASSERT_EQ(next.state(), "build");
  EXPECT_EQ(ask(upload(slow, "stale")).status, 409);
  EXPECT_EQ(lost(), 1U);
  EXPECT_EQ(fetch().status, 404);
  EXPECT_EQ(ask(upload(next, "right")).status, 200);
  EXPECT_EQ(ask(upload(slow, "stale")).status, 409);
  EXPECT_EQ(ask(upload(next, "again")).status, 409);  // its lease went with the file
  EXPECT_EQ(fetch().body, "right");
  EXPECT_EQ(lost(), 3U);
}

TEST_F(OnceTest, AnUploadThatIsNotWhatItSaysIsRefusedAndMayBeSentAgain) {
  Asker& builder = claim("a");
  Ask wrong = upload(builder, "the file");
  wrong.body = "the fil!";
  EXPECT_EQ(ask(wrong).status, 422);
  EXPECT_EQ(fetch().status, 404);
  Ask broken = upload(builder, std::string(50'000, 'x'));
  broken.breaks_at = 20'000;
  EXPECT_EQ(ask(broken).status, 0);  // the connection tells
  EXPECT_EQ(fetch().status, 404);
  EXPECT_EQ(ask(upload(builder, "the file")).status, 200);
}

TEST_F(OnceTest, AnUploadMustTellItsDigestItsLengthAndItsLease) {
  Asker& builder = claim("a");
  const auto without = [&](std::string_view name) {
    Ask what = upload(builder, "x");
    std::erase_if(what.lines, [&](const auto& line) { return line.first == name; });
    return ask(what).status;
  };
  EXPECT_EQ(without("Repr-Digest"), 400);
  EXPECT_EQ(without("Tanggul-Lease"), 400);
  EXPECT_EQ(without("Tanggul-Fence"), 400);
  Ask chunked = upload(builder, "x");
  chunked.chunked = true;
  EXPECT_EQ(ask(chunked).status, 411);
  EXPECT_EQ(ask(upload(builder, std::string(300_MiB, 'x'))).status, 413);  // no tier takes it
  EXPECT_EQ(ask(upload(builder, "x")).status, 200);
}

TEST_F(OnceTest, AFailureIsToldToAllForTwentySeconds) {
  Asker& builder = claim("a");
  Asker& waiter = claim("b", 60);
  EXPECT_EQ(post(builder, "fail", R"({"status":0})").status, 400);
  EXPECT_EQ(post(builder, "fail", R"({"status":3,"who":"a:1"})").status, 200);
  settle();
  EXPECT_EQ(waiter.state(), "failed");
  EXPECT_EQ(waiter.member("status"), "3");
  EXPECT_EQ(waiter.member("by"), "a:1");
  clock.advance(19s);
  EXPECT_EQ(claim("c").state(), "failed");
  clock.advance(1s);
  EXPECT_EQ(claim("c").state(), "build");
}

TEST_F(OnceTest, WhoReleasesLetsTheNextBuildAtOnce) {
  Asker& builder = claim("a");
  Asker& waiter = claim("b", 60);
  post(builder, "release");
  settle();
  EXPECT_EQ(waiter.state(), "build");
  EXPECT_EQ(post(builder, "fail", R"({"status":3})").status, 409);
}

TEST_F(OnceTest, WhoHasLeftIsGivenNoLease) {
  Asker& builder = claim("a");
  Asker& gone = claim("b", 60);
  gone.call.waiter->close();
  pass(10ms);
  EXPECT_TRUE(gone.done);
  post(builder, "release");
  EXPECT_EQ(claim("c").state(), "build");
}

TEST_F(OnceTest, APurgeForgetsTheFileAndTheFailure) {
  ask(upload(claim("a"), "x"));
  ask(upload(claim("a", 0, "kk"), "y", "kk"));
  ASSERT_EQ(purge(*shield_, {.urls = {"once:"}}).unknown.size(), 1U);
  ASSERT_TRUE(purge(*shield_, {.prefixes = {"/"}, .origins = {"o"}, .tags = {"t"}}).kept);
  EXPECT_EQ(fetch().status, 200);
  const auto purged = purge(*shield_, {.urls = {"once:k"}});
  EXPECT_EQ(purged.entries, 1U);
  EXPECT_TRUE(purged.unknown.empty());
  EXPECT_EQ(fetch().status, 404);
  EXPECT_EQ(fetch("kk").status, 200);
  Asker& again = claim("b");
  ASSERT_EQ(again.state(), "build");
  post(again, "fail", R"({"status":3})");
  ASSERT_EQ(claim("c").state(), "failed");
  purge(*shield_, {.urls = {"once:k"}});
  EXPECT_EQ(claim("c").state(), "build");
}

TEST_F(OnceTest, AFileThatIsGoneIsBuiltAgain) {
  ask(upload(claim("a"), "x"));
  shield_->erase(once_cache_key("k"));
  Asker& waiter = claim("b", 60);
  pass(3s);
  EXPECT_EQ(waiter.state(), "build");
}

TEST_F(OnceTest, WhenTheClusterCannotBeReachedThatIsTold) {
  Asker& builder = claim("a");
  cluster_.simulate_outage(true);
  EXPECT_EQ(claim("b", 60).status, 503);
  EXPECT_EQ(post(builder, "renew").status, 503);
  EXPECT_EQ(ask(upload(builder, "x")).status, 503);
  cluster_.simulate_outage(false);
  EXPECT_EQ(ask(upload(builder, "x")).status, 200);
}

TEST_F(OnceTest, AStopOfTheShieldKeepsNobodyWaiting) {
  claim("a");
  Asker& waiter = claim("b", 600);
  shield_->drain();
  pass(2s);
  EXPECT_EQ(waiter.state(), "building");
}

TEST_F(OnceTest, OnlyThisMachineMayWithoutAToken) {
  EXPECT_EQ(claim("a").status, 200);
  for (const char* name : {"Origin", "Sec-Fetch-Site", "X-Forwarded-For", "Forwarded", "Via"})
    EXPECT_EQ(ask({"POST", once_path("x"), {{name, "a"}}, {}}).status, 403) << name;
  authority_ = "rebound.test";
  EXPECT_EQ(claim("a").status, 403);
  client_ = "192.0.2.7";
  authority_ = "shield.test";
  Asker& refused = claim("a");
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("once_token_env"), std::string::npos);
  EXPECT_EQ(ask({"GET", once_path("k"), {{"Authorization", "Bearer "}}, {}}).status, 403);
}

TEST_F(OnceTest, ATokenAdmitsOthers) {
  make("secret");
  client_ = "192.0.2.7";
  authority_ = "shield.test";
  const auto with = [&](std::string authorization) {
    return ask({"POST", once_path("k"), {{"Authorization", authorization}}, {}}).status;
  };
  EXPECT_EQ(with("Bearer secret"), 200);
  EXPECT_EQ(with("bearer secret"), 200);
  for (const char* bad :
       {"", "secret", "Bearer secre", "Bearer secret1", "Bearer Secret", "Basic secret"})
    EXPECT_EQ(with(bad), 403) << bad;
  EXPECT_EQ(ask({"GET", once_path("k"), {}, {}}).status, 403);
}

TEST_F(OnceTest, WhatIsNoRequestOfItsIsRefused) {
  EXPECT_EQ(ask({"GET", "/.tanggul/once/%00", {}, {}}).status, 400);
  EXPECT_EQ(ask({"GET", "/.tanggul/once/", {}, {}}).status, 400);
  EXPECT_EQ(ask({"DELETE", once_path("k"), {}, {}}).status, 405);
  EXPECT_EQ(ask({"POST", once_path("k", "nonsense"), {}, {}}).status, 404);
  EXPECT_EQ(ask({"GET", once_path("k", "renew"), {}, {}}).status, 404);
  EXPECT_EQ(ask({"POST", once_path("k"), {}, "{"}).status, 400);
  EXPECT_EQ(ask({"POST", once_path("k"), {}, std::string(5000, ' ')}).status, 413);
  EXPECT_EQ(ask({"POST", once_path("k", "renew"), {}, {}}).status, 400);
  Asker& unknown = ask({"GET", "/.tanggul/nothing", {}, {}});
  EXPECT_EQ(unknown.status, 404);
  EXPECT_NE(unknown.body.find("unknown-mount"), std::string::npos);
}

TEST_F(OnceTest, WhoSaysWhoCannotWriteHeaderLines) {
  Ask what = upload(claim("a"), "x");
  what.lines.back().second = "a\r\nSet-Cookie: x\xc3\xa9";
  EXPECT_EQ(ask(what).status, 200);
  EXPECT_NE(fetch().head.find("X-Tanggul-Built-By: a??Set-Cookie: x??\r\n"), std::string::npos);
}

TEST_F(OnceTest, OnlyTheLatestBuildsAreListed) {
  for (int i = 0; i < 25; ++i) {
    const std::string key = std::to_string(i);
    ask(upload(claim("a", 0, key), "x", key));
  }
  const auto builds = shield_->once_builds().latest();
  ASSERT_EQ(builds.size(), OnceBuilds::kMost);
  EXPECT_EQ(builds.front().key, "24");
}

}  // namespace
}  // namespace tanggul::shield
