#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>

#include "scenario/fleet.h"
#include "support/scripted_origin.h"

namespace tanggul::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

class HostileFleet : public Fleet {
 protected:
  void make_plain(const std::string& name) { git_.make(name, {{"README.md", readme_of(1)}}); }
  std::string git_dir(const std::string& name) {
    return git_.git(name, {"rev-parse", "--absolute-git-dir"});
  }
  // A commit of one tree, made of lines for `git mktree`.
  void commit_tree(const std::string& name, const std::string& lines) {
    const std::string tree = dir_.write("tree", lines);
    const auto shell = [&](const std::string& script) {
      const CommandResult done = run_command({.args = {"sh", "-ec", script, git_dir(name), tree}});
      ASSERT_EQ(done.status, 0) << done.err;
    };
    shell(
        "export GIT_DIR=\"$0\" GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A "
        "GIT_COMMITTER_EMAIL=a@b; "
        "git update-ref HEAD $(git commit-tree -m x $(git mktree -z < \"$1\"))");
  }
  std::string readme_blob(const std::string& name) {
    return git_.git(name, {"rev-parse", "HEAD:README.md"});
  }
  std::string outcome(const std::string& log, const std::string& name) {
    std::istringstream in(log);
    std::string out;
    for (std::string line; std::getline(in, line);) {
      const std::size_t at = line.find("/" + name + " ");
      if (at == line.npos) continue;
      const std::string rest = line.substr(at + name.size() + 2);
      out += (out.empty() ? "" : " ") + rest.substr(0, rest.find(' '));
    }
    return out;
  }
};

TEST_F(HostileFleet, TricksOfATreeReadNothingOutsideAndLeaveTheRestReadable) {
  configure();
  const std::string mark = dir_.file("mark");
  git_.make("links", {{"README.md", "-> /etc/passwd"},
                      {"README.rst", "-> ../../../../../../etc/group"},
                      {"docs/README.md", readme_of(1)}});
  git_.make("hooks", {{"README.md", readme_of(2)},
                      {".git_hooks/post-checkout", "#!/bin/sh\ntouch " + mark},
                      {".gitattributes", "* filter=evil diff=evil\n"}});
  make_plain("long");
  commit_tree("long", "100644 blob " + readme_blob("long") + "\tREADME.md" + '\0' + "100644 blob " +
                          readme_blob("long") + "\t" + std::string(64'000, 'p') + ".md" + '\0');
  make_plain("module");
  commit_tree("module", "100644 blob " + readme_blob("module") + "\tREADME.md" + '\0' +
                            "160000 commit 1234567890123456789012345678901234567890\tmodule" +
                            '\0');
  enqueue({"links", "hooks", "long", "module"});
  const std::string log = work_once();
  EXPECT_EQ(sql("SELECT count(*) FROM current_links WHERE own = 1"), "4") << log;
  const std::string all = run({"catalog", "export"}).out;
  EXPECT_THAT(all, Not(HasSubstr("root:")));
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(HostileFleet, WhatGitRefusesIsAFailureOfTheJob) {
  configure("  attempts: 1\n");
  make_plain("dotgit");
  commit_tree("dotgit", "100644 blob " + readme_blob("dotgit") + "\tREADME.md" + '\0' +
                            "100644 blob " + readme_blob("dotgit") + "\t.GIT" + '\0');
  enqueue({"dotgit"});
  EXPECT_EQ(outcome(work_once(), "dotgit"), "transient");
  const json::value status = json::parse(run({"sync", "status", "--json"}).out);
  EXPECT_EQ(status.at("queues").at(0).at("dead").to_number<int>(), 1);
}

TEST_F(HostileFleet, AHundredThousandRefsAndABombAreReadWithinTheLimits) {
  configure("  pools:\n    repo_clone: { memory: 128MiB, clone_limit: 20MiB, timeout: 60s }\n");
  make_plain("refs");
  std::string packed = "# pack-refs with: peeled fully-peeled sorted \n";
  const std::string head = git_.head("refs");
  for (int i = 100'000; i < 200'000; ++i)
    packed += head + " refs/heads/b" + std::to_string(i) + "\n";
  std::ofstream(git_dir("refs") + "/packed-refs") << packed;
  // 256 MiB of zeros are a quarter of one as an object, and the server leaves nothing out.
  git_.make("bomb", {{"README.md", readme_of(2)}});
  const CommandResult blob = run_command(
      {.args = {"sh", "-c",
                "head -c 268435456 /dev/zero | git --git-dir=\"$0\" hash-object -w --stdin",
                git_dir("bomb")}});
  ASSERT_EQ(blob.status, 0) << blob.err;
  commit_tree("bomb", "100644 blob " + readme_blob("bomb") + "\tREADME.md" + '\0' + "100644 blob " +
                          blob.out.substr(0, 40) + "\tzeros.md" + '\0');
  git_.git("bomb", {"config", "uploadpack.allowFilter", "false"});
  enqueue({"refs", "bomb"});
  const std::string log = work_once();
  EXPECT_EQ(outcome(log, "refs"), "changed") << log;
  EXPECT_EQ(outcome(log, "bomb"), "oversize changed") << log;
  EXPECT_THAT(log, Not(HasSubstr(" oom "))) << log;
}

TEST_F(HostileFleet, AServerThatTricklesEndsInQuarantine) {
  configure("  pools:\n    repo_clone: { timeout: 3s }\n    repo_clone_large: { timeout: 4s }\n");
  const ScriptedOrigin trickle(
      {.headers = {{"Content-Type", "application/x-git-upload-pack-advertisement"}},
       .body = "001e# service=git-upload-pack\n0000000eversion 2\n" + std::string(1 << 20, '0'),
       .bytes_per_second = 4'000});
  ASSERT_EQ(run({"sync", "enqueue", trickle.url() + "/slow"}).status, 0);
  const std::string log = work_once();
  EXPECT_EQ(outcome(log, "slow"), "timeout timeout") << log;
  const json::value status = json::parse(run({"sync", "status", "--json"}).out);
  EXPECT_EQ(status.at("queues").at(0).at("claimed").to_number<int>(), 0);
}

TEST_F(HostileFleet, AddressesInsideAreNotAskedWhateverNamesThem) {
  dir_.write("tanggul.yaml", "data_dir: " + data() + "\nsync:\n  listen: 127.0.0.1:0\n");
  const ScriptedOrigin inside;
  const std::string port = std::to_string(inside.port());
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "[::1]"})
    for (const std::string scheme : {"http", "https"})
      run({"sync", "enqueue", scheme + "://" + host + ":" + port + "/a"});
  const std::string log = work_once();
  EXPECT_EQ(inside.connections(), 0U) << log;
  EXPECT_EQ(sql("SELECT DISTINCT reason FROM tombstones"), "forbidden") << log;
}

}  // namespace
}  // namespace tanggul::test
