#include "adapters/git/git_cloner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "adapters/git/repository_for_test.h"
#include "support/git_server.h"
#include "support/scripted_origin.h"
#include "tanggul/base/random.h"

namespace tanggul::git {
namespace {

namespace fs = std::filesystem;
using ports::CloneLimits;
using ports::Remote;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class GitCloner : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new test::GitServer; }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  Remote at(const std::string& name) const { return {server_->url(name), "127.0.0.1"}; }
  Expected<ports::Clone> clone(const Remote& remote, CloneLimits limits = {}) {
    return cloner_->clone(remote, folder(), limits);
  }
  std::string folder() const { return dir_.file("clone"); }

  static test::GitServer* server_;
  const test::TempDir dir_;
  const std::unique_ptr<ports::Cloner> cloner_ = make_cloner({.silence = 2s});
};
test::GitServer* GitCloner::server_ = nullptr;

TEST_F(GitCloner, HasTheFilesOfHeadAndNoWorkingTree) {
  server_->make("a", {{"README.md", "read me"}, {"d/x", "x"}});
  server_->commit("a", {{"README.md", "read me again"}});
  EXPECT_EQ(cloner_->head(at("a"), {}).value(), server_->head("a"));
  const auto clone = this->clone(at("a")).value();
  EXPECT_EQ(clone.commit, server_->head("a"));
  const auto listing = clone.tree->list(any_file).value();
  EXPECT_THAT(in_words(listing), ElementsAre("README.md=13"));
  EXPECT_FALSE(fs::exists(folder() + "/README.md"));
  EXPECT_FALSE(fs::exists(folder() + "/hooks"));
  EXPECT_EQ(plain_git(folder(), {"rev-list", "--count", "HEAD"}).out, "1\n") << "not shallow";
}

TEST(Git, IsThereOrIsNot) {
  EXPECT_TRUE(can_run());
  EXPECT_FALSE(can_run("no-such-git"));
}

TEST_F(GitCloner, AnEmptyRepositoryIsNoFault) {
  server_->make("empty", {});
  EXPECT_EQ(cloner_->head(at("empty"), {}).value(), std::nullopt);
  EXPECT_EQ(clone(at("empty")).value().commit, std::nullopt);
}

TEST_F(GitCloner, LargeFilesAreLeftOutWhereTheServerCan) {
  server_->make("large", {{"README.md", "x"}, {"weights.bin", std::string(3 << 20, 'w')}});
  const auto clone = this->clone(at("large"), {.blob = 1_MiB}).value();
  const auto listing = clone.tree->list(any_file).value();
  EXPECT_THAT(in_words(listing), ElementsAre("README.md=1", "weights.bin!absent"));
}

TEST_F(GitCloner, AServerThatCannotLeaveThemOutIsBoundedOnDisk) {
  Rng rng(1);
  std::string noise(6 << 20, '\0');
  for (char& c : noise) c = static_cast<char>(rng.bits());
  server_->make("unfiltered", {{"README.md", "x"}, {"weights.bin", noise}});
  server_->git("unfiltered", {"config", "uploadpack.allowFilter", "false"});
  EXPECT_TRUE(clone(at("unfiltered"), {.blob = 1_MiB}).has_value());
  fs::remove_all(folder());
  const auto refused = clone(at("unfiltered"), {.blob = 1_MiB, .disk = 2_MiB});
  EXPECT_EQ(refused.error().code, Errc::too_large) << refused.error().detail;
}

TEST_F(GitCloner, HooksAndSubmodulesOfTheServerAreNothingToIt) {
  const std::string mark = dir_.file("mark");
  server_->make("tricks", {{".gitmodules",
                            "[submodule \"s\"]\n\tpath = s\n\turl = file:///etc\n"
                            "[submodule \"t\"]\n\tpath = ../t\n\turl = ext::sh -c touch% " +
                                mark + "\n"},
                           {".gitattributes", "* filter=lfs diff=lfs\n"},
                           {".lfsconfig", "[lfs]\n\turl = http://127.0.0.1:1/\n"},
                           {"hooks/post-checkout", "#!/bin/sh\ntouch " + mark + "\n"},
                           {"README", "-> /etc/passwd"}});
  const auto clone = this->clone(at("tricks"));
  // git itself refuses such submodules (fsckObjects), or takes the objects and looks at nothing.
  if (clone) {
    const auto listing = clone->tree->list(any_file).value();
    EXPECT_THAT(in_words(listing), Contains("README!outside"));
  } else {
    EXPECT_EQ(clone.error().code, Errc::bad_response) << clone.error().detail;
  }
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(GitCloner, AHundredThousandRefsAreNotFetched) {
  server_->make("refs", {{"README", "x"}});
  const std::string head = server_->head("refs");
  std::string packed = "# pack-refs with: peeled fully-peeled sorted \n";
  for (int i = 100'000; i < 200'000; ++i)
    packed += head + " refs/tags/t" + std::to_string(i) + "\n";
  const std::string git_dir = server_->git("refs", {"rev-parse", "--absolute-git-dir"});
  std::ofstream(git_dir + "/packed-refs") << packed;
  ASSERT_TRUE(clone(at("refs"), {.disk = 4_MiB}).has_value());
  EXPECT_LT(fs::file_size(folder() + "/packed-refs"), 1000U);
}

TEST_F(GitCloner, ARedirectIsNotFollowed) {
  server_->make("moved", {{"README", "x"}});
  server_->set_faults(
      {{"/old/", 302,
        "Location: " + server_->url("moved") + "/info/refs?service=git-upload-pack"}});
  EXPECT_FALSE(clone(at("old")).has_value());
  server_->set_faults({});
}

TEST_F(GitCloner, OnlyTheAddressThatWasLookedAtIsAsked) {
  server_->make("b", {{"README", "x"}});
  const std::string port = server_->url().substr(server_->url().rfind(':'));
  // A name that leads nowhere, or anywhere: git is told where it lies.
  EXPECT_TRUE(clone({"http://repo.example" + port + "/b", "127.0.0.1"}).has_value());
  fs::remove_all(folder());
  // By its name it would be found; nobody listens where git is told that it lies.
  ASSERT_TRUE(clone({"http://localhost" + port + "/b", "127.0.0.1"}).has_value());
  fs::remove_all(folder());
  EXPECT_EQ(clone({"http://localhost" + port + "/b", "127.0.0.3"}).error().code, Errc::refused);
}

TEST_F(GitCloner, FaultsOfServersAreToldApart) {
  EXPECT_EQ(clone({"http://127.0.0.1:1/x", "127.0.0.1"}).error().code, Errc::refused);
  fs::remove_all(folder());
  EXPECT_EQ(clone(at("nothing")).error().code, Errc::bad_response);
  fs::remove_all(folder());
  server_->make("asks", {{"README", "x"}});
  server_->set_faults({{"/asks/", 401, "WWW-Authenticate: Basic realm=x"}});
  const auto asks = clone(at("asks"));
  server_->set_faults({});
  EXPECT_EQ(asks.error().code, Errc::bad_response) << "nobody may be asked for a password";
}

TEST_F(GitCloner, AServerThatFallsSilentHoldsNobodyUp) {
  const test::ScriptedOrigin silent({.fault = test::Fault::never_answer});
  EXPECT_EQ(clone({silent.url() + "/x", "127.0.0.1"}).error().code, Errc::stalled);
  EXPECT_EQ(cloner_->head({silent.url() + "/x", "127.0.0.1"}, {}).error().code, Errc::stalled);
}

TEST_F(GitCloner, TimeIsBoundedHoweverLivelyTheServerIs) {
  const test::ScriptedOrigin drips(
      {.headers = {{"Content-Type", "application/x-git-upload-pack-advertisement"}},
       .body = std::string(1 << 20, '0'),
       .bytes_per_second = 40'000});
  const auto late = clone({drips.url() + "/x", "127.0.0.1"}, {.until = MonoClock::now() + 1s});
  EXPECT_EQ(late.error().code, Errc::deadline) << late.error().detail;
}

}  // namespace
}  // namespace tanggul::git
