#include "app/command_line.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <sstream>

#include "app/config/directory_for_test.h"

namespace tanggul::app {
namespace {

class CommandLine : public testing::Test {
 protected:
  CommandLine() { ::setenv("XDG_DATA_HOME", directory_.path().c_str(), 1); }
  ~CommandLine() override {
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("npm_config_registry");
  }

  int run(std::vector<const char*> words) {
    words.insert(words.begin(), "tanggul");
    out_.str("");
    err_.str("");
    return run_command_line(static_cast<int>(words.size()), words.data(), {out_, err_, false},
                            [this](const Config& config, const ConfigLoader&) {
                              served_ = config;
                              return 1;
                            });
  }

  TemporaryDirectory directory_;
  std::ostringstream out_, err_;
  std::optional<Config> served_;
};

TEST_F(CommandLine, ServesTheFileWithWhatTheCommandLineSays) {
  const std::string file = directory_.file(
      "t.yaml", "origins: { a: { kind: generic, upstream: \"http://127.0.0.1:9/\" } }\n");
  EXPECT_EQ(run({"serve", "--config", file.c_str(), "--listen", "127.0.0.1:1", "--admin",
                 "127.0.0.1:2", "--data", "/x"}),
            kFailed);  // serve's own result
  ASSERT_TRUE(served_);
  EXPECT_EQ(served_->listen, "127.0.0.1:1");
  EXPECT_EQ(served_->admin, "127.0.0.1:2");
  EXPECT_EQ(served_->data_dir, "/x");
  EXPECT_EQ(served_->shield.origins.at(0).name, "a");
}

TEST_F(CommandLine, ServesTheRegistryOfThisMachineWithoutAFile) {
  ::setenv("npm_config_registry", "http://me:pw@registry.test:4873/npm/", 1);
  run({"serve"});
  ASSERT_TRUE(served_);
  ASSERT_EQ(served_->shield.origins.size(), 1U);
  const auto& npm = served_->shield.origins[0];
  EXPECT_EQ(npm.name, "npm");
  EXPECT_EQ(npm.mount, "/npm/");
  EXPECT_EQ(npm.upstreams.at(0).base, "http://registry.test:4873");
  EXPECT_EQ(npm.upstreams.at(0).path, "/npm");
  EXPECT_EQ(served_->data_dir, directory_.path() + "/tanggul");
}

TEST_F(CommandLine, AFileWithoutOriginsStillGivesTheDefaultsOfTheDiscoveredOne) {
  ::setenv("npm_config_registry", "http://registry.test/", 1);
  const std::string file = directory_.file("t.yaml", "defaults: { ttl: 2h }\n");
  run({"serve", "--config", file.c_str()});
  ASSERT_TRUE(served_);
  EXPECT_EQ(served_->shield.origins.at(0).freshness.ttl, 2h);
}

TEST_F(CommandLine, ChecksAFileAndPrintsWhatWouldTakeEffect) {
  const std::string file = directory_.file(
      "t.yaml",
      "admin: 0.0.0.0:8081\norigins: { a: { kind: generic, upstream: \"http://h.test/\" } }\n");
  EXPECT_EQ(run({"check", file.c_str()}), kDone);
  EXPECT_NE(out_.str().find("ttl: 24h\n"), std::string::npos);
  EXPECT_TRUE(err_.str().starts_with("warning: " + file + ":1:1: admin: ")) << err_.str();
  const std::string printed = directory_.file("printed.yaml", out_.str());
  const std::string first = out_.str();
  EXPECT_EQ(run({"check", printed.c_str()}), kDone);
  EXPECT_EQ(out_.str(), first);
}

TEST_F(CommandLine, StartsNothingWithABadFile) {
  const std::string file = directory_.file("t.yaml", "defaults:\n  ttl: 24\nthreads: no\n");
  const std::string errors = "error: " + file +
                             ":2:3: defaults.ttl: \"24\" has no unit; write 24h\n"
                             "error: " +
                             file + ":3:1: threads: \"no\" is no whole number from 1 to 256\n";
  EXPECT_EQ(run({"serve", "--config", file.c_str()}), kWrongUsage);
  EXPECT_EQ(err_.str(), errors);
  EXPECT_FALSE(served_);
  EXPECT_EQ(run({"check", file.c_str()}), kWrongUsage);
  EXPECT_EQ(err_.str(), errors);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(CommandLine, TellsWrongUsageFromHelp) {
  for (const auto& words : std::vector<std::vector<const char*>>{{},
                                                                 {"nonsense"},
                                                                 {"check"},
                                                                 {"serve", "--nope"},
                                                                 {"serve", "extra"},
                                                                 {"status", "--x"}}) {
    EXPECT_EQ(run(words), kWrongUsage);
    EXPECT_NE(err_.str(), "");
  }
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"--help"}, {"serve", "--help"}, {"check", "--help"}, {"status", "--help"}}) {
    EXPECT_EQ(run(words), kDone);
    EXPECT_NE(out_.str().find("Usage: tanggul"), std::string::npos) << out_.str();
  }
  EXPECT_EQ(run({"--version"}), kDone);
  EXPECT_TRUE(out_.str().starts_with("tanggul 0.")) << out_.str();
  EXPECT_FALSE(served_);
}

}  // namespace
}  // namespace tanggul::app
