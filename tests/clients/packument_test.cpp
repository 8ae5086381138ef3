// One packument, its forms and its spellings.
#include "clients/shapes.h"

namespace tanggul::test {
namespace {

const HeaderList kShort = {{"Accept", std::string(kAbbreviatedType)}};
const HeaderList kFull = {{"Accept", "application/json"}};

bool is_full(const ClientResult& r) { return r.body.find("\"readme\"") != std::string::npos; }

TEST(NpmPackument, AScopedNameIsOneKeyInEverySpelling) {
  RegistryForTest registry;
  fill_tree(registry);
  TanggulProcess shield(npm_yaml(registry));
  std::vector<std::string> bodies;
  for (const char* spelling :
       {"/@corp%2ftools", "/@corp/tools", "/%40corp%2Ftools", "/@corp%2Ftools"}) {
    const auto r = shield.get("/npm" + std::string(spelling));
    EXPECT_EQ(r.status, 200) << spelling;
    bodies.push_back(r.body);
  }
  EXPECT_EQ(std::count(bodies.begin(), bodies.end(), bodies[0]), 4);
  ASSERT_EQ(registry.origin().seen().size(), 1U);
  EXPECT_EQ(registry.origin().seen()[0].target, "/@corp%2ftools");
}

TEST(NpmPackument, ScopesThatDifferInCaseAreDifferentPackages) {
  RegistryForTest registry;
  fill_tree(registry);
  TanggulProcess shield(npm_yaml(registry));
  EXPECT_EQ(shield.get("/npm/@corp/tools").status, 200);
  EXPECT_EQ(shield.get("/npm/@CORP/tools").status, 404);
  EXPECT_EQ(registry.origin().requests("/@CORP%2ftools"), 1U);
}

TEST(NpmPackument, ViewTellsEveryVersion) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add_versions("many", 5);
  registry.add_versions("@corp/many", 3);
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  const CommandResult plain = npm.run({"view", "many", "versions", "--json"});
  EXPECT_EQ(parsed(plain.out).as_array().size(), 5U) << output_of(plain);
  const CommandResult scoped = npm.run({"view", "@corp/many", "versions", "description", "--json"});
  const auto value = parsed(scoped.out);
  EXPECT_EQ(value.at("versions").as_array().size(), 3U) << output_of(scoped);
  EXPECT_EQ(value.at("description"), "owned by everybody") << "only the full form has it";
}

TEST(NpmPackument, TheTwoFormsStayApartBeyondA304ThatNamesLessInVary) {
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  registry.set_packument_cache_control("public, max-age=1");
  TanggulProcess shield(npm_yaml(registry, "    stale_while_revalidate: 0s\n"));
  const MonoTime end = MonoClock::now() + 15s;
  while (registry.revalidations() < 4 && MonoClock::now() < end) {
    const auto brief = shield.get("/npm/leaf", kShort), full = shield.get("/npm/leaf", kFull);
    ASSERT_EQ(brief.status, 200);
    ASSERT_EQ(full.status, 200);
    ASSERT_FALSE(is_full(brief));
    ASSERT_TRUE(is_full(full));
  }
  EXPECT_GE(registry.revalidations(), 4U);
  EXPECT_NE(header(shield.get("/npm/leaf", kShort), "vary").find("Accept"), std::string::npos);
}

TEST(NpmPackument, ThreeThousandVersionsAreRewrittenToTheLast) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add_versions("big", 3000);
  TanggulProcess shield(npm_yaml(registry));
  const auto r = shield.get("/npm/big", kFull);
  ASSERT_EQ(r.status, 200);
  EXPECT_GT(r.body.size(), 2'000'000U);
  EXPECT_EQ(occurrences(r.body, "\"" + shield.url() + "/npm/big/-/big-1.0."), 3000U);
  EXPECT_EQ(occurrences(r.body, registry.url()), 0U);
  NpmClient npm(shield);
  const CommandResult view = npm.run({"view", "big", "versions", "--json"});
  EXPECT_EQ(parsed(view.out).as_array().size(), 3000U);
  npm.need({{"big", "1.0.1234"}});
  const CommandResult done = npm.run({"install", "--no-audit"});
  EXPECT_EQ(done.status, 0) << output_of(done);
}

TEST(NpmPackument, NpmsOwnRevalidationIsAnsweredWithoutTheRegistry) {
  NEEDS_NPM();
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  TanggulProcess shield(npm_yaml(registry));
  NpmClient npm(shield);
  ASSERT_EQ(npm.run({"view", "leaf", "version"}).out, "1.0.0\n");
  const CommandResult again = npm.run({"view", "leaf", "version", "--prefer-online"});
  EXPECT_EQ(again.out, "1.0.0\n") << output_of(again);
  EXPECT_TRUE(shield.process().wait_for_output("\"GET /npm/leaf\" 304 ", 5s))
      << shield.process().out();
  EXPECT_EQ(registry.origin().requests(), 1U);
}

TEST(NpmPackument, GzipAndIdentityAreOneDocumentWithAnETagEach) {
  RegistryForTest registry;
  registry.add_versions("leaf", 40);
  TanggulProcess shield(npm_yaml(registry));
  const auto packed = shield.get("/npm/leaf", {{"Accept-Encoding", "gzip"}});
  const auto plain = shield.get("/npm/leaf");
  EXPECT_EQ(header(packed, "content-encoding"), "gzip");
  EXPECT_FALSE(plain.headers.has("content-encoding"));
  EXPECT_LT(packed.body.size(), plain.body.size());
  EXPECT_EQ(gunzip(packed.body), plain.body);
  EXPECT_NE(header(packed, "etag"), header(plain, "etag"));
  EXPECT_EQ(registry.origin().requests(), 1U);
  for (const auto& [coding, known] :
       {std::pair("gzip", header(packed, "etag")), std::pair("identity", header(plain, "etag"))}) {
    const auto r = shield.get("/npm/leaf", {{"Accept-Encoding", coding}, {"If-None-Match", known}});
    EXPECT_EQ(r.status, 304) << coding;
    EXPECT_TRUE(r.body.empty());
  }
}

// What a client sends, and where its tarballs shall then lie.
struct Address {
  HeaderList headers;
  std::string base;
};

void expect_addresses(const TanggulProcess& shield, const std::vector<Address>& addresses) {
  for (const auto& [headers, base] : addresses) {
    const auto r = shield.get("/npm/leaf", headers);
    EXPECT_NE(r.body.find("\"" + base + "/npm/leaf/-/leaf-1.0.0.tgz\""), std::string::npos)
        << base << "\n"
        << r.body;
  }
}

TEST(NpmPackument, TarballsLieWhereTheClientFoundTheShield) {
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  TanggulProcess shield(npm_yaml(registry));
  const std::string local = "localhost:" + std::to_string(shield.port());
  expect_addresses(
      shield,
      {{{}, shield.url()},
       {{{"Host", local}}, "http://" + local},
       {{{"X-Forwarded-Host", "packages.test"}, {"X-Forwarded-Proto", "https"}}, shield.url()}});
}

TEST(NpmPackument, ATrustedProxyTellsWhatTheClientUsed) {
  RegistryForTest registry;
  registry.add("leaf", "1.0.0");
  TanggulProcess shield(npm_yaml(registry, "", "trusted_proxies: [127.0.0.1/32]\n"));
  expect_addresses(shield,
                   {{{{"X-Forwarded-Host", "packages.test"}, {"X-Forwarded-Proto", "https"}},
                     "https://packages.test"},
                    {{}, shield.url()}});
}

}  // namespace
}  // namespace tanggul::test
