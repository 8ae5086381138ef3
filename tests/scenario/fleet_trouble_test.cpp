// Many repositories of all kinds, read once in peace and once by workers that are killed again and
// again: the catalog says the same.
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "scenario/fleet.h"
#include "tanggul/base/random.h"

namespace tanggul::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// More of them by TANGGUL_REPOSITORIES.
int repositories() {
  const char* const asked = std::getenv("TANGGUL_REPOSITORIES");
  const int n = asked ? std::atoi(asked) : 0;
  return n > 0 ? n : 20;
}

class FleetTrouble : public Fleet {
 protected:
  void make_all() {
    Rng rng(7);
    for (int i = 0; i < repositories(); ++i) {
      names_.push_back("r" + std::to_string(i));
      make_one(i, names_.back(), rng);
    }
    git_.set_faults(faults_);
  }

  // Of 20 in turn: one that is empty, gone, renamed, private, too large on disk, too large to read,
  // full of links, unborn on the branch that HEAD names; the others are as most are.
  void make_one(int i, const std::string& name, Rng& rng) {
    const CommitFiles plain{{"README.md", readme_of(i)}};
    switch (i % 20) {
      case 1:
        return git_.make(name, {});
      case 2:
        return;
      case 3:
        git_.make(name + "-now", plain);
        faults_.push_back({"/" + name + "/info/refs", 301,
                           "Location: /" + name + "-now/info/refs?service=git-upload-pack"});
        return;
      case 4:
        git_.make(name, plain);
        faults_.push_back({"/" + name + "/", 401, "WWW-Authenticate: Basic realm=x"});
        return;
      case 5: {
        std::string noise(3 << 20, '\0');
        for (char& c : noise) c = static_cast<char>(rng.bits());
        git_.make(name, {{"README.md", readme_of(i)}, {"weights.bin", noise}});
        git_.git(name, {"config", "uploadpack.allowFilter", "false"});
        return;
      }
      case 6:
        return git_.make(name, {{"README.md", readme_of(i) + std::string(3 << 20, 'x')}});
      case 7:
        return git_.make(name, {{"README.md", "-> docs/real.md"},
                                {"docs/real.md", readme_of(i)},
                                {"README.rst", "-> /etc/passwd"}});
      case 8:
        git_.make(name, plain);
        git_.git(name, {"symbolic-ref", "HEAD", "refs/heads/none"});
        return;
      default:
        return git_.make(name, plain);
    }
  }

  std::string in_peace() {
    enqueue(names_);
    const auto worker = start_worker({"--once", "--release", "v1"});
    EXPECT_EQ(worker->wait(1500s), 0) << worker->err();
    return contents();
  }

  // Two workers, of which one is killed each time that it has done a few jobs, again and again.
  std::string in_trouble() {
    enqueue(names_);
    Rng rng(11);
    std::vector<std::unique_ptr<Process>> workers;
    for (int i = 0; i < 2; ++i) workers.push_back(start_worker({"--once", "--release", "v1"}));
    for (std::size_t kills = 0; kills < names_.size() / 4; ++kills) {
      auto& chosen = workers[kills % workers.size()];
      const auto done = [&] {
        const std::string log = chosen->err();
        std::size_t jobs = 0;
        for (std::size_t at = 0; (at = log.find(" MiB", at + 1)) != log.npos;) ++jobs;
        return jobs >= 2 + 1 + rng.bits() % 2;  // two lines of them are not of jobs
      };
      if (!chosen->poll_until(60s, done)) break;  // nothing is left for it
      chosen->signal(SIGKILL);
      chosen->wait(20s);
      chosen = start_worker({"--once", "--release", "v1"});
    }
    for (const auto& worker : workers) EXPECT_EQ(worker->wait(1500s), 0) << worker->err();
    work_once({"--release", "v1"});  // what the last one that was killed still held
    return contents();
  }

  std::vector<std::string> names_;
  std::vector<GitServer::Fault> faults_;
};

TEST_F(FleetTrouble, KilledWorkersLoseNothingAndDoubleNothing) {
  configure(
      "  lease: 3s\n  pools:\n    repo_clone: { workers: 2, clone_limit: 2MiB }\n"
      "    repo_clone_large: { workers: 1 }\n");
  make_all();
  const std::string quiet = in_peace();
  fs::remove_all(data());
  const std::string troubled = in_trouble();
  EXPECT_EQ(troubled, quiet);
  EXPECT_EQ(queue_sql("SELECT count(*) FROM job"), "0");
  EXPECT_EQ(queue_sql("SELECT count(*) FROM dead"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM snapshots"),
            sql("SELECT count(*) FROM (SELECT DISTINCT repository, commit_id FROM snapshots)"));
  std::error_code ec;
  EXPECT_TRUE(fs::is_empty(data() + "/sync/clones", ec)) << "a clone was left behind";
}

}  // namespace
}  // namespace tanggul::test
