#include "app/config/discovery.h"

#include "app/config/child_output.h"
#include "app/config/config_for_test.h"
#include "app/config/directory_for_test.h"

namespace tanggul::app {
namespace {

class Discovery : public testing::Test {
 protected:
  void npmrc(const std::string& text) { home_.file(".npmrc", text); }
  std::optional<std::string> found() {
    variables_["HOME"] = home_.path();
    Config config;
    config.public_url = "https://tools.test/levee";
    config.data_dir = home_.path() + "/data/tanggul";
    const auto got = discover_npm(config, environment_of(variables_), [this] { return npm_; });
    if (!got) return std::nullopt;
    return got->url;
  }
  std::string kept() {
    std::ifstream file(home_.path() + "/data/tanggul/discovered.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryDirectory home_;
  std::map<std::string, std::string> variables_;
  std::vector<std::string> npm_;
};

TEST_F(Discovery, AsksTheEnvironmentThenTheUsersFileThenNpm) {
  EXPECT_EQ(found(), std::nullopt);
  npm_ = {"http://npm.test/", "http://default.test/"};
  EXPECT_EQ(found(), "http://npm.test/");
  npmrc("registry=http://file.test/\n");
  EXPECT_EQ(found(), "http://file.test/");
  variables_["NPM_CONFIG_REGISTRY"] = "http://upper.test/";
  EXPECT_EQ(found(), "http://upper.test/");
  variables_["npm_config_registry"] = "http://lower.test/";
  EXPECT_EQ(found(), "http://lower.test/");
}

TEST_F(Discovery, ReadsTheFileThatTheEnvironmentNames) {
  npmrc("registry=http://file.test/\n");
  variables_["NPM_CONFIG_USERCONFIG"] = home_.file("other", "registry = http://other.test/\n");
  EXPECT_EQ(found(), "http://other.test/");
}

TEST_F(Discovery, PassesOverOurselvesAndWhatIsNoHttpUrl) {
  npm_ = {"http://npm.test/"};
  for (const char* unusable : {"http://localhost:8080/npm/", "http://127.0.0.1:8081/",
                               "https://tools.test/levee/npm/", "ftp://files.test/", "nonsense"}) {
    npmrc(std::string("registry=") + unusable + "\n");
    EXPECT_EQ(found(), "http://npm.test/") << unusable;
  }
}

TEST_F(Discovery, RemembersTheFirstOneOnceNpmHasBeenToldToComeToUs) {
  npmrc("registry=http://first.test/npm/\n");
  EXPECT_EQ(found(), "http://first.test/npm/");
  EXPECT_EQ(kept(), "{\"npm\":\"http://first.test/npm/\"}\n");
  npmrc("registry=http://127.0.0.1:8080/npm/\n");
  npm_ = {"http://127.0.0.1:8080/npm/", "http://default.test/"};
  EXPECT_EQ(found(), "http://first.test/npm/");
}

TEST_F(Discovery, KeepsTheFirstWhenTheSettingsChange) {
  npmrc("registry=http://first.test/\n");
  found();
  npmrc("registry=http://second.test/\n");
  EXPECT_EQ(found(), "http://second.test/");
  EXPECT_EQ(kept(), "{\"npm\":\"http://first.test/\"}\n");
}

TEST_F(Discovery, FallsBackToNpmsOwnDefaultWhereNothingWasKept) {
  npm_ = {"http://127.0.0.1:8080/npm/", "http://default.test/"};
  EXPECT_EQ(found(), "http://default.test/");
}

TEST_F(Discovery, KeepsWhatMayHoldACredentialForTheOwnerAlone) {
  npmrc("registry=http://me:secret@first.test/\n");
  found();
  const auto mode = std::filesystem::status(home_.path() + "/data/tanggul/discovered.json");
  EXPECT_EQ(mode.permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Npmrc, IsReadAsNpmReadsIt) {
  const Environment environment = environment_of({{"HOST", "h.test"}});
  const struct {
    const char* text;
    std::optional<std::string> registry;
  } cases[] = {
      {"", std::nullopt},
      {"registry=http://a.test/", "http://a.test/"},
      {"  registry = \"http://a.test/\" \r\n", "http://a.test/"},
      {"registry=http://a.test/\nregistry=http://b.test/\n", "http://b.test/"},
      {"registry=http://${HOST}/npm/", "http://h.test/npm/"},
      {"registry=http://${NOPE}/npm/", std::nullopt},
      {"; registry=http://a.test/\n# registry=http://a.test/", std::nullopt},
      {"@scope:registry=http://a.test/", std::nullopt},
      {"//a.test/:_authToken=x\nregistry=http://a.test/", "http://a.test/"},
      {"[section]\nregistry=http://a.test/", std::nullopt},
  };
  for (const auto& c : cases)
    EXPECT_EQ(registry_of_npmrc(c.text, environment), c.registry) << c.text;
}

TEST(ChildOutput, IsWhatTheProgramSaysAndNothingWhereItFails) {
  EXPECT_EQ(child_output({{"sh", "-c", "echo hello; pwd"}, {}}, 30s), "hello\n/\n");
  EXPECT_EQ(child_output({{"sh", "-c", "echo $NAME"}, {"NAME=value"}}, 30s), "value\n");
  EXPECT_EQ(child_output({{"sh", "-c", "echo hello; exit 3"}, {}}, 30s), std::nullopt);
  EXPECT_EQ(child_output({{"no-such-program-here"}, {}}, 30s), std::nullopt);
}

TEST(ChildOutput, EndsAProgramThatDoesNotAnswerAndItsChildren) {
  const MonoTime start = MonoClock::now();
  EXPECT_EQ(child_output({{"sh", "-c", "sleep 600 & sleep 600"}, {"PATH=/usr/bin:/bin"}}, 50ms),
            std::nullopt);
  EXPECT_LT(MonoClock::now() - start, 300s);
}

}  // namespace
}  // namespace tanggul::app
