// A job's walk with a web and a git of our making, over a catalog on each engine.
#include "sync/job/job.h"

#include <map>

#include "conformance/catalog_for_test.h"
#include "support/fake_source_tree.h"
#include "sync/work/revisits.h"

namespace tanggul::test {
namespace {

using ports::WebAnswer;
using sync::JobEnd;
using sync::JobReport;

const std::string kRefs = "/info/refs?service=git-upload-pack";
const std::string kUrl = "https://git.example.org/a", kOther = "https://elsewhere.example.org/b";

// What lies where: a README and a commit, or why it cannot be had.
struct World final : ports::Web, ports::Cloner {
  std::map<std::string, WebAnswer> answers;  // by URL of the repository; else 404
  std::map<std::string, std::string> readmes;
  std::optional<Failure> git_fails;
  std::string commit = kCommitA;

  void put(const std::string& url, std::string readme) {
    answers[url] = {.status = 200,
                    .url = url + kRefs,
                    .address = "192.0.2.1",
                    .content_type = "application/x-git-upload-pack-advertisement"};
    readmes[url] = std::move(readme);
  }
  void move(const std::string& from, const std::string& to) {
    answers[from] = answers.at(to);
    answers[from].moved = true;
  }

  Expected<WebAnswer> get(const ports::WebRequest& request) override {
    const std::string url = request.url.substr(0, request.url.find(kRefs));
    const auto found = answers.find(url);
    return found == answers.end() ? WebAnswer{.status = 404, .url = request.url} : found->second;
  }
  Expected<std::optional<std::string>> head(const ports::Remote&,
                                            const ports::CloneLimits&) override {
    if (git_fails) return *git_fails;
    return std::optional(commit);
  }
  Expected<ports::Clone> clone(const ports::Remote& remote, const std::string&,
                               const ports::CloneLimits&) override {
    if (git_fails) return *git_fails;
    auto tree = std::make_unique<FakeSourceTree>();
    tree->files["README.md"] = readmes.at(remote.url);
    return ports::Clone{std::move(tree), commit};
  }
};

// Fails as it is told to, else asks the one beneath.
class FailingSession final : public ports::SqlSession {
 public:
  explicit FailingSession(ports::SqlSession& beneath) : beneath_(beneath) {}
  std::optional<Failure> failure;

  ports::SqlDialect dialect() const noexcept override { return beneath_.dialect(); }
  Expected<std::uint64_t> run(std::string_view statement, const ports::SqlRow& values,
                              const EachRow& row) override {
    if (failure) return *failure;
    return beneath_.run(statement, values, row);
  }
  Expected<void> script(std::string_view statements) override {
    return beneath_.script(statements);
  }
  Expected<void> transaction(const std::function<Expected<void>()>& work) override {
    if (failure) return *failure;
    return beneath_.transaction(work);
  }

 private:
  ports::SqlSession& beneath_;
};

class JobWalk : public CatalogTest {
 protected:
  JobReport run(const std::string& url = kUrl) { return run(url, catalog()); }
  JobReport run(const std::string& url, sync::Catalog& catalog) {
    sync::JobOrder order;
    order.url = url;
    order.release = "v1";
    order.track = "stable";
    order.pool = sync::default_pools()[0];
    return do_job(order, {world_, world_, catalog, {2026, 12}});
  }
  std::string own_papers() {
    return ask("SELECT url || ' ' || paper FROM current_links WHERE own = 1 ORDER BY 1");
  }

  World world_;
};

constexpr const char* kReadme = "The code of [our paper](https://arxiv.org/abs/2301.00001).\n";
constexpr const char* kOtherReadme = "The code of [our paper](https://arxiv.org/abs/2302.00002).\n";

TEST_P(JobWalk, WhatIsReadIsInTheCatalogAndTwiceIsOnce) {
  world_.put(kUrl, kReadme);
  EXPECT_EQ(run().end, JobEnd::changed);
  EXPECT_EQ(run().end, JobEnd::unchanged);
  EXPECT_EQ(own_papers(), kUrl + " 2301.00001");
  EXPECT_EQ(ask("SELECT count(*) FROM snapshots"), "1");
}

TEST_P(JobWalk, AMoveWithinAHostIsANewName) {
  world_.put(kUrl, kReadme);
  run();
  world_.put("https://git.example.org/new", kReadme);
  world_.move(kUrl, "https://git.example.org/new");
  EXPECT_EQ(run().end, JobEnd::unchanged) << "the same commit by another name";
  EXPECT_EQ(ask("SELECT url FROM repositories"), "https://git.example.org/new");
  EXPECT_EQ(ask("SELECT url FROM aliases"), kUrl);
}

TEST_P(JobWalk, AMoveToWhatGitCannotReadChangesNothing) {
  world_.put(kUrl, kReadme);
  run();
  world_.put("https://git.example.org/new", kOtherReadme);
  world_.move(kUrl, "https://git.example.org/new");
  world_.git_fails = Failure{Errc::reset, "x"};
  EXPECT_EQ(run().end, JobEnd::transient);
  EXPECT_EQ(ask("SELECT url FROM repositories"), kUrl);
}

// Whoever has a host may redirect it to anything: nothing of it becomes part of another's.
TEST_P(JobWalk, AMoveToAnotherHostTakesNothingAlong) {
  world_.put(kUrl, kReadme);
  run();
  world_.put(kOther, kOtherReadme);
  run(kOther);
  world_.move(kUrl, kOther);
  run();
  EXPECT_EQ(own_papers(), kOther + " 2302.00002 " + kUrl + " 2301.00001");
  EXPECT_EQ(ask("SELECT count(*) FROM aliases"), "0");
  EXPECT_EQ(ask("SELECT reason FROM tombstones"), "moved");
}

TEST_P(JobWalk, ATombstoneDoesNotMoveWithAName) {
  world_.put("https://git.example.org/good", kReadme);
  run("https://git.example.org/good");
  run("https://git.example.org/evil");
  EXPECT_EQ(ask("SELECT count(*) FROM tombstones"), "1");
  world_.move("https://git.example.org/evil", "https://git.example.org/good");
  run("https://git.example.org/evil");
  EXPECT_EQ(ask("SELECT count(*) FROM tombstones WHERE lifted_at IS NULL"), "0");
}

TEST_P(JobWalk, WhatIsBackUnchangedIsNotGoneAnyMore) {
  world_.put(kUrl, kReadme);
  run();
  const WebAnswer there = world_.answers.at(kUrl);
  world_.answers.clear();
  EXPECT_EQ(run().end, JobEnd::gone);
  EXPECT_EQ(catalog().recent_tombstones(9).value().size(), 1U);
  world_.answers[kUrl] = there;
  EXPECT_EQ(run().end, JobEnd::unchanged);
  EXPECT_EQ(catalog().recent_tombstones(9).value().size(), 0U);
  EXPECT_EQ(catalog().due(wall_now() + 2 * 24h, 9).value().size(), 1U) << "not in a month";
}

TEST_P(JobWalk, ACatalogInTroubleIsNoFaultOfTheJob) {
  world_.put(kUrl, kReadme);
  FailingSession session(*session_);
  auto catalog = sync::Catalog::open(session).value();
  for (const Errc code : {Errc::limit, Errc::reset, Errc::refused, Errc::io}) {
    session.failure = Failure{code, "x"};
    EXPECT_EQ(run(kUrl, catalog).end, JobEnd::busy) << name(code);
  }
  session.failure = Failure{Errc::internal, "x"};
  EXPECT_EQ(run(kUrl, catalog).end, JobEnd::transient);
}

TEST_P(JobWalk, OurOwnDiskIsNoFaultOfTheJobAndALimitIsItsClass) {
  world_.put(kUrl, kReadme);
  const std::pair<Errc, JobEnd> cases[] = {{Errc::io, JobEnd::busy},
                                           {Errc::too_large, JobEnd::oversize},
                                           {Errc::deadline, JobEnd::timeout},
                                           {Errc::bad_response, JobEnd::transient}};
  for (const auto& [code, end] : cases) {
    world_.git_fails = Failure{code, "x"};
    EXPECT_EQ(run().end, end) << name(code);
  }
}

INSTANTIATE_ON_BOTH_ENGINES(JobWalk);

// Takes everything, or nothing.
class Taking final : public ports::Queue {
 public:
  std::vector<std::string> keys;
  bool fails = false;

  Expected<Enqueued> enqueue(const std::string&, const ports::Job& job, WallTime) override {
    if (fails) return Failure{Errc::refused, "x"};
    keys.push_back(job.key);
    return Enqueued::added;
  }
  Expected<std::optional<ports::Claim>> claim(const std::string&, Duration, Duration) override {
    return std::optional<ports::Claim>();
  }
  Expected<Held> renew(const ports::Claim&, Duration) override { return Held::lost; }
  Expected<Held> settle(const ports::Claim&, const ports::Settlement&) override {
    return Held::lost;
  }
  Expected<ports::QueueFigures> figures(const std::string&) override {
    return ports::QueueFigures();
  }
  Expected<std::vector<ports::Job>> dead(const std::string&, std::size_t) override {
    return std::vector<ports::Job>();
  }
  Expected<std::uint64_t> revive(const std::string&,
                                 const std::function<bool(ports::Job&)>&) override {
    return 0U;
  }
};

class RevisitsOf : public CatalogTest {
 protected:
  void commit_many(int count) {
    for (int i = 0; i < count; ++i) catalog().commit(visit("a/" + std::to_string(i))).value();
  }
  std::size_t look(WallTime at) { return revisits_.enqueue_due(catalog(), queue_, at).value(); }

  Taking queue_;
  const sync::Revisits revisits_{{.pool = "repo_clone", .at_once = 4}};
};

TEST_P(RevisitsOf, WhatIsDueIsEnqueuedOnceHoweverMuchItIs) {
  commit_many(10);
  EXPECT_EQ(look(kStart + 23h), 0U);
  EXPECT_EQ(look(kStart + 25h), 10U);
  EXPECT_EQ(queue_.keys.size(), 10U);
  EXPECT_EQ(look(kStart + 26h), 0U) << "they are on their way";
}

TEST_P(RevisitsOf, AVisitThatDoesNotComeAboutIsAskedForAgainLater) {
  commit_many(1);
  look(kStart + 25h);
  EXPECT_EQ(look(kStart + 25h + 13h), 1U);
}

TEST_P(RevisitsOf, AQueueThatTakesNothingLeavesThemDue) {
  commit_many(2);
  queue_.fails = true;
  EXPECT_FALSE(revisits_.enqueue_due(catalog(), queue_, kStart + 25h));
  queue_.fails = false;
  EXPECT_EQ(look(kStart + 25h), 2U);
}

INSTANTIATE_ON_BOTH_ENGINES(RevisitsOf);

}  // namespace
}  // namespace tanggul::test
