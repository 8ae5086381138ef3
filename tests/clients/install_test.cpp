// npm install through the shield: cold, in a herd, and with the registry gone.
#include "clients/shapes.h"

namespace tanggul::test {
namespace {

bool is_stale(const ClientResult& r) {
  return header(r, "cache-status").find("detail=stale-if-error") != std::string::npos;
}

TEST(NpmInstall, ATreeIsFetchedOnceAndLocksTheShieldsAddresses) {
  NEEDS_NPM();
  RegistryForTest registry;
  fill_tree(registry);
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  npm.need(tree_roots());
  const CommandResult done = npm.run({"install", "--no-audit"});
  ASSERT_EQ(done.status, 0) << output_of(done);
  expect_each_fetched_once(registry);
  for (const std::string& name : tree_names())
    EXPECT_FALSE(npm.project_file("node_modules/" + name + "/index.js").empty()) << name;
  const std::string lock = npm.project_file("package-lock.json");
  EXPECT_EQ(occurrences(lock, "\"resolved\": \"" + shield.url() + "/npm/"), tree_names().size());
  EXPECT_EQ(occurrences(lock, registry.url()), 0U);
}

TEST(NpmInstall, FromTheCacheAloneWhenTheRegistryIsGone) {
  NEEDS_NPM();
  RegistryForTest registry;
  fill_tree(registry);
  TanggulProcess shield(npm_yaml(registry));
  NpmClient first(shield), second(shield);
  for (NpmClient* npm : {&first, &second}) npm->need(tree_roots());
  const CommandResult cold = first.run({"install", "--no-audit"});
  ASSERT_EQ(cold.status, 0) << output_of(cold);
  registry.origin().stop_listening();
  registry.origin().drop_connections();
  registry.origin().reset_counts();
  const CommandResult warm = second.run({"install", "--no-audit"});
  EXPECT_EQ(warm.status, 0) << output_of(warm);
  const std::string lock = first.project_file("package-lock.json");
  EXPECT_EQ(lock, second.project_file("package-lock.json"));
  NpmClient builder(shield);  // a build machine installs what the lock file says
  builder.need(tree_roots());
  builder.write_project_file("package-lock.json", lock);
  const CommandResult clean = builder.run({"ci", "--no-audit"});
  EXPECT_EQ(clean.status, 0) << output_of(clean);
  EXPECT_EQ(registry.origin().requests(), 0U);
}

TEST(NpmInstall, ThroughARepositoryServerThatKeepsTheRegistryBelowAPath) {
  NEEDS_NPM();
  RegistryForTest registry("/repository/npm-local");
  fill_tree(registry);
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  npm.need(tree_roots());
  const CommandResult done = npm.run({"install", "--no-audit"});
  ASSERT_EQ(done.status, 0) << output_of(done);
  expect_each_fetched_once(registry);
  EXPECT_EQ(occurrences(npm.project_file("package-lock.json"), registry.url()), 0U);
}

TEST(NpmInstall, TarballsOfAnotherHostComeThroughTheShieldAndWithoutTheToken) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  Script file;
  file.body = registry.tarball("leaf", "1.0.0");
  file.headers = {{"Cache-Control", "public, max-age=3600"}};
  ScriptedOrigin files;
  files.set("/files/leaf-1.0.0.tgz", file);
  registry.set_tarball_base(files.url() + "/files");
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  npm.log_in("alice");
  const CommandResult done = npm.run({"install", "leaf", "--no-audit"});
  ASSERT_EQ(done.status, 0) << output_of(done);
  EXPECT_EQ(occurrences(npm.project_file("package-lock.json"), shield.url() + "/npm/leaf/-/"), 1U);
  EXPECT_EQ(registry.origin().requests(), 1U);
  ASSERT_EQ(files.seen().size(), 1U);
  EXPECT_FALSE(files.seen()[0].headers.has("authorization"));
}

TEST(NpmInstall, FromStalePackumentsWhenTheRegistryIsGone) {
  NEEDS_NPM();
  RegistryForTest registry;
  fill_tree(registry);
  registry.set_packument_cache_control("public, max-age=1");
  TanggulProcess shield(npm_yaml(registry, "    stale_while_revalidate: 0s\n"));
  NpmClient first(shield), second(shield);
  for (NpmClient* npm : {&first, &second}) npm->need(tree_roots());
  const CommandResult cold = first.run({"install", "--no-audit"});
  ASSERT_EQ(cold.status, 0) << output_of(cold);
  registry.origin().stop_listening();
  registry.origin().drop_connections();
  for (const std::string& name : tree_names()) {
    const std::string path = registry.paths_of(name)[0];
    // In the form that npm chose, which differs between its versions.
    const std::string asked(registry.seen("GET", path).at(0).headers.find("accept").value_or(""));
    const auto r = ask_until(shield, "/npm" + path, {{"Accept", asked}}, [](const auto& answer) {
      return answer.status != 200 || is_stale(answer);
    });
    EXPECT_EQ(r.status, 200) << name;
    EXPECT_TRUE(is_stale(r)) << name << " " << header(r, "cache-status");
  }
  const CommandResult stale = second.run({"install", "--no-audit"});
  EXPECT_EQ(stale.status, 0) << output_of(stale);
  EXPECT_EQ(shield.metric("tanggul_uncaught_total"), 0);
}

TEST(NpmInstall, FiveAtOnceCostTheRegistryOneFetchEach) {
  NEEDS_NPM();
  RegistryForTest registry;
  fill_tree(registry);
  TanggulProcess shield(npm_yaml(registry));
  std::vector<std::unique_ptr<NpmClient>> machines;
  std::vector<std::unique_ptr<Process>> running;
  for (int i = 0; i < 5; ++i) {
    machines.push_back(std::make_unique<NpmClient>(shield));
    machines.back()->need(tree_roots());
  }
  for (const auto& npm : machines)
    running.push_back(std::make_unique<Process>(npm->spec({"install", "--no-audit"})));
  for (const auto& p : running) EXPECT_EQ(p->wait(60s), 0) << p->out() << p->err();
  expect_each_fetched_once(registry);
  EXPECT_EQ(shield.metric("tanggul_flights"), 0);
}

TEST(NpmInstall, AMissingPackageIsToldAtOnceAndCostsTheRegistryOneRequest) {
  NEEDS_NPM();
  RegistryForTest registry;
  TanggulProcess shield(npm_yaml(registry));
  for (int i = 0; i < 2; ++i) {
    NpmClient npm(shield);
    npm.need({{"no-such-thing", "*"}});
    const CommandResult r = run_command(npm.spec({"install", "--no-audit"}), 20s);
    EXPECT_NE(r.status, 0);
    EXPECT_NE(r.status, 124) << "npm hangs";
    EXPECT_NE(output_of(r).find("E404"), std::string::npos) << output_of(r);
    EXPECT_EQ(registry.origin().requests(), 1U);
  }
}

TEST(NpmInstall, AFailingRegistryIsNeverToldAsAMissingPackage) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  registry.set_failure(503);
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  npm.need({{"leaf", "*"}});
  const CommandResult r = npm.run({"install", "--no-audit"});
  EXPECT_NE(r.status, 0);
  EXPECT_NE(output_of(r).find("E503"), std::string::npos) << output_of(r);
  EXPECT_EQ(output_of(r).find("E404"), std::string::npos) << output_of(r);
}

TEST(NpmInstall, ATarballThatIsNotWhatItsPackumentPromisedNeverReachesAnybody) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  registry.set_corrupt_tarballs(true);
  TanggulProcess shield(npm_yaml(registry, "    negative: { unreachable: 1s }\n"));
  NpmClient deceived(shield);
  deceived.need({{"leaf", "*"}});
  const CommandResult r = deceived.run({"install", "--no-audit"});
  EXPECT_NE(r.status, 0);
  EXPECT_NE(output_of(r).find("502"), std::string::npos) << output_of(r);
  EXPECT_EQ(output_of(r).find("EINTEGRITY"), std::string::npos) << output_of(r);
  registry.set_corrupt_tarballs(false);
  const auto mended = ask_until(shield, "/npm" + registry.paths_of("leaf")[1], {},
                                [](const auto& answer) { return answer.status != 502; });
  EXPECT_EQ(mended.status, 200);
  EXPECT_EQ(mended.body, registry.tarball("leaf", "1.0.0"));
  NpmClient npm(shield);
  npm.need({{"leaf", "*"}});
  const CommandResult good = npm.run({"install", "--no-audit"});
  EXPECT_EQ(good.status, 0) << output_of(good);
}

}  // namespace
}  // namespace tanggul::test
