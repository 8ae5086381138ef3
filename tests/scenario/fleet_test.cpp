#include "scenario/fleet.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <filesystem>

#include "process/tree.h"
#include "support/postgres_server.h"
#include "support/scripted_origin.h"

namespace tanggul::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

TEST_F(Fleet, ReadsWhatIsEnqueuedIntoTheCatalog) {
  configure();
  git_.make("a", {{"README.md", readme_of(1)}});
  git_.make("b", {{"README.md", readme_of(2)}, {"docs/more.md", "arXiv:2302.00001"}});
  enqueue({"a", "b"});
  work_once({"--release", "v1"});
  EXPECT_EQ(sql("SELECT url, paper, own, release FROM current_links ORDER BY 1, 2"),
            git_.url("a") + "|2301.10001|1|v1\n" + git_.url("b") + "|2301.10002|1|v1\n" +
                git_.url("b") + "|2302.00001|0|v1");
  EXPECT_EQ(sql("SELECT url, metric, value FROM current_results ORDER BY 1"),
            git_.url("a") + "|accuracy|51.5\n" + git_.url("b") + "|accuracy|52.5");
  EXPECT_FALSE(fs::exists(data() + "/sync/clones") && !fs::is_empty(data() + "/sync/clones"));
}

TEST_F(Fleet, AHeadThatThisReleaseHasReadIsNotClonedAgain) {
  configure();
  git_.make("a", {{"README.md", readme_of(1)}});
  enqueue({"a"});
  work_once({"--release", "v1"});
  git_.forget_requests();
  enqueue({"a"});
  EXPECT_THAT(work_once({"--release", "v1"}), HasSubstr(" unchanged in "));
  const auto requests = git_.requests();
  EXPECT_EQ(
      std::count(requests.begin(), requests.end(), "GET /a/info/refs?service=git-upload-pack"), 2)
      << "a look at where it lies, and what its head is";
  const std::string head = git_.commit("a", {{"README.md", readme_of(2)}});
  enqueue({"a"});
  EXPECT_THAT(work_once({"--release", "v1"}), HasSubstr(" changed in "));
  EXPECT_EQ(sql("SELECT paper, commit_id FROM current_links"), "2301.10002|" + head);
}

TEST_F(Fleet, ACanaryWritesBesideAndIsNotYetTrue) {
  configure();
  git_.make("a", {{"README.md", readme_of(1)}});
  enqueue({"a"});
  work_once({"--release", "v1"});
  enqueue({"a"});
  work_once({"--release", "v2", "--track", "canary"});
  EXPECT_EQ(sql("SELECT release FROM snapshots ORDER BY 1"), "v1\nv2");
  EXPECT_EQ(sql("SELECT release FROM current_links"), "v1");
}

TEST_F(Fleet, WhatIsGoneHasATombstoneWithItsReason) {
  configure();
  git_.make("private", {{"README.md", "x"}});
  git_.make("blocked", {{"README.md", "x"}});
  git_.set_faults({{"/private/", 401, "WWW-Authenticate: Basic realm=x"},
                   {"/blocked/", 451},
                   {"/page", 200, "Content-Type: text/html"}});
  enqueue({"nothing", "private", "blocked", "page"});
  work_once();
  EXPECT_EQ(sql("SELECT substr(url, -4), reason FROM tombstones JOIN repositories ON id = "
                "repository ORDER BY url"),
            "cked|blocked\nhing|not_found\npage|no_repository\nvate|not_public");
  const CommandResult status = run({"sync", "status"});
  EXPECT_THAT(status.out, HasSubstr(git_.url("blocked") + ": blocked: the server answers 451"));
  // It has come back.
  git_.set_faults({});
  enqueue({"blocked"});
  work_once();
  EXPECT_EQ(sql("SELECT lifted_at IS NOT NULL FROM tombstones JOIN repositories ON id = repository "
                "WHERE url LIKE '%blocked'"),
            "1");
}

TEST_F(Fleet, ARepositoryThatHasMovedKeepsItsOldNameAsAnAlias) {
  configure();
  git_.make("old", {{"README.md", readme_of(1)}});
  enqueue({"old"});
  work_once({"--release", "v1"});
  git_.rename("old", "new");
  git_.set_faults({{"/old/info/refs", 301, "Location: /new/info/refs?service=git-upload-pack"}});
  enqueue({"old"});
  work_once({"--release", "v2"});
  EXPECT_EQ(sql("SELECT r.url, a.url FROM aliases a JOIN repositories r ON r.id = repository"),
            git_.url("new") + "|" + git_.url("old"));
  EXPECT_EQ(sql("SELECT url, release FROM current_links"), git_.url("new") + "|v2");
}

TEST_F(Fleet, AnEmptyRepositoryIsNoFailure) {
  configure();
  git_.make("empty", {});
  enqueue({"empty"});
  EXPECT_THAT(work_once(), HasSubstr(" empty in "));
  EXPECT_EQ(sql("SELECT count(*) FROM repositories"), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM tombstones"), "0");
}

TEST_F(Fleet, AForgeThatAsksForRestGetsItAndNoAttemptIsUsed) {
  configure();
  git_.make("a", {{"README.md", readme_of(1)}});
  git_.set_faults({{"/a/", 429, "Retry-After: 3600"}});
  enqueue({"a"});
  EXPECT_THAT(work_once(), HasSubstr(" busy in "));
  const json::value status = json::parse(run({"sync", "status", "--json"}).out);
  const json::value& queue = status.at("queues").at(0);
  EXPECT_EQ(queue.at("parked").to_number<int>(), 1);
  EXPECT_EQ(queue.at("lag_seconds").to_number<double>(), 0) << "parked is no lag";
  EXPECT_EQ(queue_sql("SELECT attempts FROM job"), "0");
}

TEST_F(Fleet, AJobThatFailsAgainAndAgainIsKeptApart) {
  configure("  attempts: 1\n");
  git_.make("broken", {{"README.md", "x"}});
  git_.set_faults({{"/broken/", 500}});
  enqueue({"broken"});
  work_once();
  const json::value status = json::parse(run({"sync", "status", "--json"}).out);
  const json::value& queue = status.at("queues").at(0);
  EXPECT_EQ(queue.at("dead").to_number<int>(), 1);
  EXPECT_EQ(queue.at("latest_dead").at(0).at("failure").as_string(), "poison");
  EXPECT_EQ(sql("SELECT outcome FROM visits"), "failed");
  git_.set_faults({});
  EXPECT_EQ(run({"sync", "revive", "--failure", "quarantine"}).out, "0 revived\n");
  EXPECT_EQ(run({"sync", "revive", git_.url("broken")}).out, "1 revived\n");
  EXPECT_THAT(work_once(), HasSubstr(" changed in "));
}

TEST_F(Fleet, MemoryIsBoundedTheJobMovesOnOnceAndNobodyElseLoses) {
  configure(
      "  pools:\n    repo_clone: { memory: 512MiB }\n    repo_clone_large: { memory: 1GiB }\n");
  std::vector<std::string> names{"greedy"};
  git_.make("greedy", {{"README.md", readme_of(0)}});
  for (int i = 1; i <= 8; ++i) {
    names.push_back("modest" + std::to_string(i));
    git_.make(names.back(), {{"README.md", readme_of(i)}});
  }
  enqueue(names);
  const auto worker = start_worker({}, {{"TANGGUL_FAULT", "allocate 4GiB greedy"}});
  const std::uint16_t port = port_of(*worker);
  const auto ended = [&] {
    return metric(port, "sync_jobs_total{queue=\"repo_clone\",outcome=\"changed\"}") +
           metric(port, "sync_jobs_total{queue=\"repo_clone_large\",outcome=\"oom\"}");
  };
  EXPECT_TRUE(worker->poll_until(100s, [&] { return ended() == 9; })) << worker->err();
  EXPECT_EQ(metric(port, "sync_jobs_total{queue=\"repo_clone\",outcome=\"oom\"}"), 1);
  EXPECT_EQ(sql("SELECT count(DISTINCT url) FROM current_links"), "8");
  EXPECT_TRUE(worker->poll_until(20s, [&] {
    return metric(port, "sync_queue_messages{queue=\"repo_clone_large\",state=\"dead\"}") == 1;
  }));
  const json::value status = json::parse(run({"sync", "status", "--json"}).out);
  EXPECT_EQ(status.at("queues").at(1).at("latest_dead").at(0).at("failure").as_string(),
            "quarantine");
  // Where it was stopped, by its own account.
  const std::string log = worker->err();
  EXPECT_THAT(log, HasSubstr("greedy oom in ")) << log;
  worker->signal(SIGTERM);
  EXPECT_EQ(worker->wait(40s), 0);
}

TEST_F(Fleet, SigtermLetsWhatRunsEndAndPutsBackWhatDoesNot) {
  configure("", "shutdown: 2s\n");
  git_.make("slow", {{"README.md", readme_of(1)}});
  // Nothing is answered as long as the server stands still.
  enqueue({"slow"});
  git_.freeze();
  const auto worker = start_worker();
  const std::uint16_t port = port_of(*worker);
  ASSERT_TRUE(worker->poll_until(30s, [&] {
    return metric(port, "sync_slots_busy{queue=\"repo_clone\"}") == 1;
  })) << worker->err();
  EXPECT_EQ(get(port, "/healthz").status, 200);
  worker->signal(SIGTERM);
  ASSERT_EQ(worker->wait(20s), 0) << worker->err();
  EXPECT_THAT(worker->err(), HasSubstr(" drained in "));
  git_.thaw();
  EXPECT_EQ(queue_sql("SELECT attempts FROM job"), "0");
  work_once();
  EXPECT_EQ(sql("SELECT count(*) FROM current_links"), "1");
}

TEST_F(Fleet, MetricsExistFromTheStart) {
  configure();
  const auto worker = start_worker({"--release", "v7", "--track", "canary"});
  const std::uint16_t port = port_of(*worker);
  ASSERT_TRUE(worker->poll_until(
      20s, [&] { return metric(port, "sync_queue_lag_seconds{queue=\"repo_clone\"}") == 0; }));
  for (const std::string series :
       {"sync_jobs_total{queue=\"repo_clone_large\",outcome=\"oom\"}",
        "repo_parse_errors_total{stage=\"markdown_ast\",version=\"canary\"}",
        "repo_sync_processed_total{version=\"canary\"}",
        "sync_job_duration_seconds_count{queue=\"repo_clone\",stage=\"clone\",version=\"canary\"}",
        "sync_queue_messages{queue=\"repo_clone\",state=\"parked\"}"})
    EXPECT_EQ(metric(port, series), 0) << series;
  EXPECT_EQ(metric(port, "tanggul_build_info{version=\"canary\",track=\"canary\",release=\"v7\"}"),
            1);
  EXPECT_EQ(get(port, "/other").status, 404);
}

TEST_F(Fleet, WhatIsDueAgainIsVisitedAgain) {
  configure();
  git_.make("a", {{"README.md", readme_of(1)}});
  enqueue({"a"});
  work_once();
  const CommandResult past = run_command(
      {.args = {"sqlite3", data() + "/sync/catalog.db", "UPDATE repositories SET next_visit = 1"}});
  ASSERT_EQ(past.status, 0) << past.err;
  const auto worker = start_worker();
  EXPECT_TRUE(worker->wait_for_output(" unchanged in ", 60s)) << worker->err();
}

TEST_F(Fleet, OnceEndsThoughAPoolHasNobody) {
  configure("  pools:\n    repo_clone_large: { workers: 0 }\n");
  git_.make("a", {{"README.md", readme_of(1) + std::string(3 << 20, 'x')}});
  enqueue({"a"});
  EXPECT_THAT(work_once(), HasSubstr(" oversize in "));
  EXPECT_EQ(queue_sql("SELECT queue FROM job"), "repo_clone_large");
}

TEST_F(Fleet, NothingOfAJobThatWasKilledLivesOn) {
  configure();
  // Looks like a repository, and then git waits for ever.
  std::atomic<int> asked{0};
  const ScriptedOrigin origin({.dynamic = [&](const SeenRequest&) -> Script {
    if (asked++ > 0) return {.fault = Fault::never_answer};
    return {.headers = {{"Content-Type", "application/x-git-upload-pack-advertisement"}},
            .body = "001e# service=git-upload-pack\n0000000eversion 2\n0000"};
  }});
  ASSERT_EQ(run({"sync", "enqueue", origin.url() + "/a"}).status, 0);
  Process worker(
      {.args = {"unshare", "--mount", "sh", "-c",
                "mount -t tmpfs none /sys/fs/cgroup && exec \"$@\"", "sh", tanggul_binary(), "sync",
                "work", "--config", dir_.file("tanggul.yaml")}});
  pid_t job = 0, remote = 0;
  worker.poll_until(30s, [&] {
    for (const pid_t child : process::children_of(worker.pid()))
      for (const pid_t git : process::children_of(child))
        for (const pid_t helper : process::children_of(git)) job = child, remote = helper;
    return remote != 0;
  });
  if (worker.err().find("unshare") != std::string::npos) GTEST_SKIP() << worker.err();
  ASSERT_NE(remote, 0) << worker.err();
  ::kill(job, SIGKILL);
  EXPECT_TRUE(worker.wait_for_output(" crashed in ", 20s)) << worker.err();
  EXPECT_TRUE(worker.poll_until(20s, [&] { return ::kill(remote, 0) != 0; }));
}

TEST_F(Fleet, MemoryIsBoundedWhereThereAreNoControlGroups) {
  configure("  pools:\n    repo_clone: { memory: 256MiB, hands_on_to: none }\n");
  git_.make("greedy", {{"README.md", readme_of(1)}});
  enqueue({"greedy"});
  Process worker(
      {.args = {"unshare", "--mount", "sh", "-c",
                "mount -t tmpfs none /sys/fs/cgroup && exec \"$@\"", "sh", tanggul_binary(), "sync",
                "work", "--once", "--config", dir_.file("tanggul.yaml")},
       .env = {{"TANGGUL_FAULT", "allocate 4GiB greedy"}}});
  const auto status = worker.wait(60s);
  if (worker.err().find("unshare failed") != std::string::npos) GTEST_SKIP() << worker.err();
  EXPECT_EQ(status, 0) << worker.err();
  EXPECT_THAT(worker.err(), HasSubstr("bounded by polling"));
  EXPECT_THAT(worker.err(), HasSubstr("greedy oom in "));
}

TEST_F(Fleet, SeveralWorkersShareAQueue) {
  configure();
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) {
    names.push_back("r" + std::to_string(i));
    git_.make(names.back(), {{"README.md", readme_of(i)}});
  }
  enqueue(names);
  std::vector<std::unique_ptr<Process>> workers;
  for (int i = 0; i < 3; ++i) workers.push_back(start_worker({"--once"}));
  std::size_t read = 0;
  for (const auto& worker : workers) {
    EXPECT_EQ(worker->wait(120s), 0) << worker->err();
    const std::string log = worker->err();
    for (std::size_t at = 0; (at = log.find(" changed in ", at)) != log.npos; ++at) ++read;
  }
  EXPECT_EQ(read, 12U) << "each once";
  EXPECT_EQ(sql("SELECT count(*) FROM current_links"), "12");
}

TEST_F(Fleet, ACatalogOnPostgresSaysTheSame) {
  if (!postgres_is_here()) GTEST_SKIP() << "there is no PostgreSQL on this machine";
  const PostgresServer server;
  git_.make("a", {{"README.md", readme_of(1)}});
  git_.make("b", {{"README.md", readme_of(2) + "\narXiv:2302.00001\n"}});
  std::string exports[2];
  for (const bool postgres : {false, true}) {
    configure(postgres ? "  catalog: \"" + server.url() + "\"\n" : "");
    enqueue({"a", "b", "gone"});
    work_once({"--release", "v1"});
    const CommandResult exported = run({"catalog", "export"});
    EXPECT_EQ(exported.status, 0) << exported.err;
    exports[postgres ? 1 : 0] = exported.out;
  }
  EXPECT_EQ(exports[0], exports[1]);
  EXPECT_THAT(exports[0], HasSubstr("2302.00001"));
}

}  // namespace
}  // namespace tanggul::test
