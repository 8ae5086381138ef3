// What is somebody's own: publishing, audits, tokens, private packages.
#include "base/base64.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "clients/shapes.h"

namespace tanggul::test {
namespace {

HeaderList bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

TEST(NpmAccount, AnAuditGoesToTheRegistryEachTime) {
  NEEDS_NPM();
  RegistryForTest registry;
  fill_tree(registry);
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  npm.need(tree_roots());
  ASSERT_EQ(npm.run({"install", "--no-audit"}).status, 0);
  for (int i = 0; i < 2; ++i) {
    const CommandResult r = npm.run({"audit"});
    EXPECT_EQ(r.status, 0) << output_of(r);
    EXPECT_NE(r.out.find("found 0 vulnerabilities"), std::string::npos) << output_of(r);
  }
  const auto seen = registry.seen("POST", "/-/npm/v1/security/advisories/bulk");
  ASSERT_EQ(seen.size(), 2U);
  for (const auto& request : seen) {
    const bool packed = request.headers.find("content-encoding") == "gzip";
    const auto asked = parsed(packed ? gunzip(request.body) : request.body);
    EXPECT_EQ(asked.as_object().size(), tree_names().size());
  }
}

TEST(NpmAccount, APublicationReachesTheRegistryAsItWasSent) {
  NEEDS_NPM();
  RegistryForTest registry;
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  npm.log_in("alice");
  npm.write_project_file("package.json", R"({"name":"@corp/new","version":"1.2.3"})");
  EXPECT_EQ(shield.get("/npm/@corp/new").status, 404);
  const CommandResult done = npm.run({"publish", "--access=public"});
  ASSERT_EQ(done.status, 0) << output_of(done);
  EXPECT_EQ(shield.get("/npm/@corp/new").status, 200) << "the 404 of a minute ago is gone";
  const auto seen = registry.seen("PUT", "/@corp%2fnew");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].headers.find("authorization"), "Bearer alice");
  const auto dist = parsed(seen[0].body).at("versions").at("1.2.3").at("dist");
  const std::string bytes = registry.tarball("@corp/new", "1.2.3");
  EXPECT_EQ(dist.at("integrity").as_string(),
            "sha512-" + to_base64(Digest::of(DigestKind::sha512, bytes)));
}

TEST(NpmAccount, WhoHasPublishedSeesItAtOnce) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add("mine", "1.0.0");
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield), other(shield);
  npm.log_in("alice");
  ASSERT_EQ(npm.run({"view", "mine", "version"}).out, "1.0.0\n");
  ASSERT_EQ(other.run({"view", "mine", "version"}).out, "1.0.0\n");
  npm.write_project_file("package.json", R"({"name":"mine","version":"1.1.0"})");
  const CommandResult done = npm.run({"publish"});
  ASSERT_EQ(done.status, 0) << output_of(done);
  for (const NpmClient* who : {&npm, &other}) {
    const CommandResult view = who->run({"view", "mine", "version", "--prefer-online"});
    EXPECT_EQ(view.out, "1.1.0\n") << output_of(view);
  }
}

TEST(NpmAccount, QuestionsAboutOneselfAreNeverAnsweredFromACache) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  TanggulProcess shield(npm_yaml(registry));
  NpmClient alice(shield), bob(shield);
  alice.log_in("alice");
  bob.log_in("bob");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(alice.run({"whoami"}).out, "owner-of-alice\n");
    EXPECT_EQ(bob.run({"whoami"}).out, "owner-of-bob\n");
    EXPECT_EQ(alice.run({"dist-tag", "ls", "leaf"}).out, "latest: 1.0.0\n");
  }
  EXPECT_EQ(registry.origin().requests("/-/whoami"), 4U);
  for (const auto& request : registry.seen("GET", "/-/package/leaf/dist-tags"))
    EXPECT_EQ(request.headers.find("authorization"), "Bearer alice");
  EXPECT_EQ(registry.origin().requests("/-/package/leaf/dist-tags"), 2U);
  EXPECT_EQ(alice.run({"search", "leaf", "--json"}).status, 0);
  EXPECT_EQ(registry.origin().requests("/-/v1/search"), 1U);
}

TEST(NpmAccount, TwoTokensNeverShareAPrivatePackument) {
  RegistryForTest registry;
  registry.add("@corp/secret", "1.0.0");
  registry.make_private("@corp/secret", {{"alice", "Alice"}, {"bob", "Bob"}});
  TanggulProcess shield(npm_yaml(registry));
  const std::vector<std::string> who = {"alice", "bob", ""};
  const auto results = burst(shield.port(), 30, [&](std::size_t i) {
    RequestSpec spec;
    spec.target = "/npm/@corp%2fsecret";
    if (const std::string& token = who[i % 3]; !token.empty()) spec.headers = bearer(token);
    return spec;
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ClientResult& r = results[i];
    EXPECT_EQ(r.status, i % 3 == 2 ? 404 : 200) << i;
    EXPECT_EQ(r.body.find("owned by Alice") != std::string::npos, i % 3 == 0) << i;
    EXPECT_EQ(r.body.find("owned by Bob") != std::string::npos, i % 3 == 1) << i;
  }
  EXPECT_EQ(registry.origin().requests("/@corp%2fsecret"), 3U);
}

TEST(NpmAccount, ATokenNeverTravelsInAFetchForOthers) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  TanggulProcess shield(npm_yaml(registry));
  NpmClient alice(shield), nobody(shield);
  alice.log_in("alice");
  for (const NpmClient* npm : {&alice, &nobody}) {
    const CommandResult r = npm->run({"install", "leaf", "--no-audit"});
    EXPECT_EQ(r.status, 0) << output_of(r);
  }
  for (const std::string& path : registry.paths_of("leaf")) {
    std::vector<std::string> tokens;
    for (const auto& request : registry.seen("GET", path))
      tokens.emplace_back(request.headers.find("authorization").value_or("none"));
    EXPECT_EQ(tokens, (std::vector<std::string>{"Bearer alice", "none"})) << path;
  }
}

}  // namespace
}  // namespace tanggul::test
