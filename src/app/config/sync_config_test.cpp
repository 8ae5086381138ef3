#include "app/config/sync_config.h"

#include "app/config/config_for_test.h"

namespace tanggul::app {
namespace {

SyncSettings read(const std::string& lines) { return good("sync:\n" + lines).sync; }

std::string error_of(const std::string& lines) {
  const LoadedConfig loaded = parsed("sync:\n" + lines);
  EXPECT_EQ(loaded.errors.size(), 1U);
  return loaded.errors.empty() ? "" : loaded.errors[0];
}

TEST(SyncConfig, NeedsNothing) {
  const SyncSettings settings = good("").sync;
  EXPECT_EQ(settings.listen, "127.0.0.1:9101");
  EXPECT_EQ(settings.queue.engine, Store::Engine::sqlite);
  EXPECT_EQ(settings.queue.file, "");
  ASSERT_EQ(settings.pools.size(), 2U);
  EXPECT_EQ(settings.pools[0].hands_on_to, "repo_clone_large");
}

TEST(SyncConfig, SaysWhereThingsAreKept) {
  const SyncSettings settings =
      read("  queue: \"sqlite:///var/lib/q.db\"\n  catalog: \"postgres://u:p@db/research\"\n");
  EXPECT_EQ(settings.queue.file, "/var/lib/q.db");
  EXPECT_EQ(settings.catalog.engine, Store::Engine::postgres);
  EXPECT_EQ(effective_yaml(good("sync:\n  catalog: \"postgres://u:pw@db/r\"\n")).find("pw@"),
            std::string::npos);
}

TEST(SyncConfig, APoolTakesOverWhatItDoesNotSay) {
  const SyncSettings settings = read("  pools:\n    repo_clone: { workers: 7, memory: 1GiB }\n");
  EXPECT_EQ(settings.find("repo_clone")->workers, 7);
  EXPECT_EQ(settings.find("repo_clone")->memory, 1_GiB);
  EXPECT_EQ(settings.find("repo_clone")->clone_limit, 200_MiB);
  EXPECT_EQ(settings.find("repo_clone_large")->memory, 4_GiB);
  EXPECT_EQ(settings.find("other"), nullptr);
}

TEST(SyncConfig, WhatIsPrintedIsReadBackAsTheSame) {
  const std::string text = effective_yaml(
      good("sync:\n  internal_hosts: [Git.Example.org, \"10.0.0.7:8443\"]\n  attempts: 3\n"
           "  lease: 90s\n  pools:\n    mine: { workers: 1, hands_on_to: repo_clone_large }\n    "
           "repo_clone: { hands_on_to: none }\n"));
  EXPECT_EQ(effective_yaml(good(text)), text);
  EXPECT_NE(text.find("git.example.org"), std::string::npos);
}

TEST(SyncConfig, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("  queue: redis://x\n"),
            "t.yaml:2:3: sync.queue: \"redis://x\" is no queue; write sqlite: or "
            "sqlite:///path/to/file");
  EXPECT_EQ(error_of("  queue: sqlite:relative\n"),
            "t.yaml:2:3: sync.queue: \"sqlite:relative\" is no file; write sqlite: or "
            "sqlite:///path/to/file");
  EXPECT_EQ(error_of("  queue: amqp://x\n"),
            "t.yaml:2:3: sync.queue: this version has no queue on amqp; write sqlite:");
  EXPECT_EQ(error_of("  forges: {}\n"),
            "t.yaml:2:3: sync.forges: this version asks no API of forges or papers; leave the key "
            "out");
  EXPECT_EQ(error_of("  internal_hosts: [\"http://x/\"]\n"),
            "t.yaml:2:3: sync.internal_hosts: \"http://x/\" is no host; write one like "
            "git.example.org or 10.0.0.7:8443");
  EXPECT_EQ(error_of("  pools:\n    repo_clone: { hands_on_to: nobody }\n"),
            "t.yaml:3:5: sync.pools.repo_clone: hands_on_to: there is no pool nobody");
  EXPECT_EQ(error_of("  pools:\n    mine: { hands_on_to: repo_clone }\n"),
            "t.yaml:3:5: sync.pools.mine: hands_on_to: repo_clone hands on itself; a job is handed "
            "on once");
}

}  // namespace
}  // namespace tanggul::app
