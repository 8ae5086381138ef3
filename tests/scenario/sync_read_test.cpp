#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <thread>

#include "support/hostile_documents.h"
#include "support/process.h"
#include "support/tanggul_process.h"
#include "support/temp_dir.h"

namespace tanggul::test {
namespace {

namespace json = boost::json;

constexpr const char* kReadme =
    "# Thing\n\nThe code of [our paper](https://arxiv.org/abs/2104.08821v2).\n\n"
    "| model | accuracy |\n|-|-|\n| a | 91.5 |\n";

CommandResult sync_read(std::vector<std::string> args) {
  args.insert(args.begin(), {tanggul_binary(), "sync", "read"});
  return run_command({.args = std::move(args)});
}

json::object read_json(const std::string& path, const char* pool = "repo_clone") {
  const CommandResult ran = sync_read({path, "--json", "--pool", pool});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1);
  return json::parse(ran.out).as_object();
}

CommandResult git(const std::string& folder, std::vector<std::string> args) {
  args.insert(args.begin(),
              {"git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.org"});
  return run_command({.args = std::move(args)});
}

TEST(SyncRead, PrintsWhatAFileSaysForPeopleAndForPrograms) {
  TempDir folder;
  folder.write("README.md", kReadme);
  const CommandResult people = sync_read({folder.file("README.md")});
  EXPECT_EQ(people.status, 0);
  EXPECT_NE(people.out.find("2104.08821  own"), std::string::npos) << people.out;
  EXPECT_NE(people.out.find("README.md:5: 1 rows, 1 values: model | accuracy"), std::string::npos)
      << people.out;

  const json::object found = read_json(folder.file("README.md"));
  EXPECT_EQ(found.at("source").at("kind").as_string(), "file");
  const json::value& paper = found.at("papers").at(0);
  EXPECT_EQ(paper.at("arxiv").as_string(), "2104.08821");
  EXPECT_EQ(paper.at("version").to_number<int>(), 2);
  EXPECT_TRUE(paper.at("own").as_bool());
  EXPECT_EQ(paper.at("evidence").at(0).at("line").to_number<int>(), 3);
  EXPECT_EQ(paper.at("evidence").at(0).at("kind").as_string(), "link");
  EXPECT_EQ(found.at("result_tables").at(0).at("rows").at(0).at(1).as_string(), "91.5");
  EXPECT_EQ(found.at("result_tables").at(0).at("results").at(0).at("metric").as_string(),
            "accuracy");
  for (const char* empty : {"model_index", "skipped", "truncated", "errors", "defects"})
    EXPECT_TRUE(found.at(empty).as_array().empty()) << empty;
}

TEST(SyncRead, ReadsARepositoryAtItsHeadWhetherBareOrNot) {
  TempDir folder;
  const std::string work = folder.file("work"), bare = folder.file("bare");
  std::filesystem::create_directory(work);
  git(work, {"init", "-q", "-b", "main"});
  folder.write("work/README.md", kReadme);
  EXPECT_EQ(read_json(work).at("source").at("kind").as_string(), "folder")
      << "it has no commit yet";
  git(work, {"add", "-A"});
  git(work, {"commit", "-q", "-m", "x"});
  git(folder.path(), {"clone", "-q", "--bare", work, bare});
  folder.write("work/README.md", "# Changed and not committed\n\narXiv:1706.03762\n");
  for (const std::string& path : {work, bare}) {
    const json::object found = read_json(path);
    EXPECT_EQ(found.at("source").at("kind").as_string(), "git");
    EXPECT_EQ(found.at("source").at("commit").as_string().size(), 40U);
    ASSERT_EQ(found.at("papers").as_array().size(), 1U);
    EXPECT_EQ(found.at("papers").at(0).at("arxiv").as_string(), "2104.08821");
  }
  run_command({.args = {"git", "init", "-q", "--bare", folder.file("empty")}});
  EXPECT_EQ(read_json(folder.file("empty")).at("source").at("state").as_string(), "empty");
}

TEST(SyncRead, WrongUseIsToldFromWhatCannotBeRead) {
  TempDir folder;
  EXPECT_EQ(sync_read({}).status, 2);
  EXPECT_EQ(sync_read({folder.file("missing")}).status, 2);
  EXPECT_EQ(sync_read({folder.path(), "--pool", "huge"}).status, 2);
  EXPECT_EQ(sync_read({"/dev/null"}).status, 1);
  folder.write("repo/HEAD", "ref: refs/heads/main\n");
  std::filesystem::create_directories(folder.file("repo/objects"));
  std::filesystem::create_directories(folder.file("repo/refs/heads"));
  folder.write("repo/refs/heads/main", std::string(40, 'a') + "\n");
  const CommandResult broken = sync_read({folder.file("repo")});
  EXPECT_EQ(broken.status, 1);
  EXPECT_TRUE(broken.err.starts_with("error: ")) << broken.err;
  EXPECT_EQ(std::count(broken.err.begin(), broken.err.end(), '\n'), 1) << broken.err;
}

TEST(SyncRead, NothingThatIsReadSpeaksToTheTerminal) {
  TempDir folder;
  folder.write(
      "README.md",
      "# \x1b]0;title\x07\n\narXiv:1706.03762\n\n| \x1b[31mm | acc |\n|-|-|\n| a | 1.5 |\n");
  folder.write("\x1b[2Jx.md", "version https://git-lfs.github.com/spec/v1\n");
  for (const char* format : {"--json", "--pool=repo_clone"}) {
    const CommandResult ran = sync_read({folder.path(), format});
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find('\x07'), std::string::npos);
  }
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// The incident: a README of 80 MB. In the regular pool it costs nothing, in the large one 64 MiB.
TEST(SyncRead, AReadmeOf80MegabytesIsHandedOnAndThenReadInBoundedMemory) {
  TempDir folder;
  std::string text = kReadme;
  while (text.size() < 80'000'000)
    text +=
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA\n2024-01-01 INFO loss=0.1234 "
        "acc=91.2345\n";
  folder.write("README.md", text);
  folder.write("docs/other.md", "arXiv:1706.03762\n");
  const json::object small = read_json(folder.path());
  EXPECT_EQ(small.at("handed_to").as_string(), "repo_clone_large");
  EXPECT_EQ(small.at("skipped").at(0).at("file").as_string(), "README.md");
  EXPECT_EQ(small.at("papers").as_array().size(), 1U);

  Process large(
      {.args = {"sh", "-c",
                "ulimit -v 400000; exec \"$0\" sync read \"$1\" --json --pool repo_clone_large",
                tanggul_binary(), folder.path()}});
  ASSERT_EQ(large.wait(60s), 0) << large.err();
  const json::object found = json::parse(large.out()).as_object();
  EXPECT_EQ(found.at("papers").as_array().size(), 2U);
  EXPECT_EQ(found.at("truncated").at(0).at("size").to_number<std::size_t>(), text.size());
  EXPECT_LE(found.at("truncated").at(0).at("read").to_number<std::size_t>(), 64U << 20);
}

TEST(SyncRead, UnderAMemoryLimitNoBadFileCostsAnother) {
  TempDir folder;
  std::size_t bad = 0;
  for (const auto& document : hostile_documents()) {
    if (++bad % 8 != 0) continue;
    folder.write("docs/" + std::to_string(1000 + bad) + ".md", document.make(1 << 20));
    folder.write("x" + std::to_string(bad) + "/config.json", document.make(256 << 10));
  }
  folder.write("README.md", kReadme);
  folder.write("zzz/README.md", "arXiv:1706.03762\n");
  Process limited({.args = {"sh", "-c", "ulimit -v 200000; exec \"$0\" sync read \"$1\" --json",
                            tanggul_binary(), folder.path()}});
  ASSERT_EQ(limited.wait(100s), 0) << limited.err();
  const json::object found = json::parse(limited.out()).as_object();
  EXPECT_EQ(found.at("papers").at(0).at("arxiv").as_string(), "2104.08821");
  bool last = false;
  for (const auto& paper : found.at("papers").as_array())
    last = last || paper.at("arxiv").as_string() == "1706.03762";
  EXPECT_TRUE(last);
}
#endif

TEST(SyncRead, KilledItLeavesNoGitBehind) {
  TempDir folder;
  git(folder.path(), {"init", "-q", "-b", "main"});
  for (int i = 0; i < 400; ++i)
    folder.write("d" + std::to_string(i) + "/README.md",
                 "arXiv:1706.03762 " + std::to_string(i) + std::string(200'000, 'x'));
  git(folder.path(), {"add", "-A"});
  git(folder.path(), {"commit", "-q", "-m", "x"});
  Process reading({.args = {tanggul_binary(), "sync", "read", folder.path(), "--json"}});
  // Its child is git, which has this folder's repository in its arguments.
  const auto gits = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::string line = read_file(entry.path() / "cmdline");
      std::replace(line.begin(), line.end(), '\0', ' ');
      if (line.starts_with("git ") && line.find(folder.path()) != std::string::npos) ++count;
    }
    return count;
  };
  EXPECT_TRUE(reading.poll_until(20s, [&] { return gits() > 0; })) << reading.err();
  reading.signal(SIGKILL);
  EXPECT_EQ(reading.wait(10s), 128 + SIGKILL);
  const MonoTime end = MonoClock::now() + 10s;
  while (gits() > 0 && MonoClock::now() < end) std::this_thread::yield();
  EXPECT_EQ(gits(), 0U);
}

}  // namespace
}  // namespace tanggul::test
