#include "registry/npm.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "registry/npm_path.h"

namespace tanggul::registry {
namespace {

using Way = Classified::Way;
constexpr std::string_view kBase = "http://cache.test/npm";
constexpr std::string_view kShort = "application/vnd.npm.install-v1+json";

struct Asked {
  Classified what;
  std::string key;
  Plan plan;
};

Asked ask(std::string_view rest, std::string_view accept = "", std::string_view method = "GET",
          std::string_view base = kBase) {
  static const auto npm = make_npm();
  http::RequestHead head;
  head.method = method;
  head.target = rest;
  if (!accept.empty()) head.headers.push_back({"Accept", accept});
  Asked a;
  a.what = npm->classify(head, rest, base, a.key);
  a.plan = npm->plan(head, rest, a.what);
  return a;
}

std::string accept_of(const Asked& a) { return a.plan.headers.joined("accept"); }

TEST(Npm, TakesEverySpellingOfAScopedNameForOnePackage) {
  const Asked plain = ask("/@scope/name");
  EXPECT_TRUE(plain.what.document);
  EXPECT_EQ(plain.what.resource, policy::ResourceClass::metadata);
  for (const std::string_view rest :
       {"/@scope%2fname", "/@scope%2Fname", "/%40scope%2Fname", "/%40scope/name"}) {
    const Asked other = ask(rest);
    EXPECT_EQ(other.key, plain.key) << rest;
    EXPECT_EQ(other.plan.target, "/@scope%2fname") << rest;
  }
  for (const std::string_view rest :
       {"/@scope%2fname/-/name-1.0.0.tgz", "/%40scope/name/-/name-1.0.0.tgz"}) {
    const Asked tarball = ask(rest);
    EXPECT_EQ(tarball.key, ask("/@scope/name/-/name-1.0.0.tgz").key) << rest;
    EXPECT_EQ(tarball.plan.target, "/@scope/name/-/name-1.0.0.tgz") << rest;
    EXPECT_EQ(tarball.what.resource, policy::ResourceClass::immutable);
    EXPECT_FALSE(tarball.what.document);
  }
  EXPECT_EQ(ask("/@scope%2fname/latest").key, ask("/@scope/name/latest").key);
  EXPECT_EQ(ask("/@scope/name/1.0.0").plan.target, "/@scope%2fname/1.0.0");
}

TEST(Npm, KeepsTheTwoFormsOfAPackumentApart) {
  const Asked full = ask("/left-pad", "application/json");
  EXPECT_EQ(accept_of(full), "application/json");
  for (const std::string_view accept :
       {"application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*",
        "application/json,Application/vnd.npm.install-v1+JSON;q=0.001"}) {
    const Asked abbreviated = ask("/left-pad", accept);
    EXPECT_NE(abbreviated.key, full.key) << accept;
    EXPECT_EQ(accept_of(abbreviated),
              "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*");
    EXPECT_TRUE(abbreviated.plan.fixed_headers);
  }
  for (const std::string_view accept :
       {"*/*", "application/vnd.npm.install-v1+json;q=0",
        "application/vnd.npm.install-v1+json ; q=0.000", "application/vnd.npm.install-v1+jsonx",
        "text/vnd.npm.install-v1+json"})
    EXPECT_EQ(ask("/left-pad", accept).key, full.key) << accept;
  EXPECT_EQ(ask("/left-pad", kShort, "HEAD").key, ask("/left-pad", kShort).key);
}

TEST(Npm, KeysDocumentsByTheAddressThatTheyAreWrittenForAndTarballsNot) {
  EXPECT_NE(ask("/a", "", "GET", "http://x").key, ask("/a", "", "GET", "http://y").key);
  EXPECT_NE(ask("/a/1.0.0", "", "GET", "http://x").key, ask("/a/1.0.0", "", "GET", "http://y").key);
  EXPECT_EQ(ask("/a/-/a-1.tgz", "", "GET", "http://x").key,
            ask("/a/-/a-1.tgz", "", "GET", "http://y").key);
}

TEST(Npm, LabelsWhatItSees) {
  EXPECT_EQ(make_npm()->patterns("internal"),
            (std::vector<std::string>{"packument", "tarball", "internal"}));
  EXPECT_EQ(ask("/a").what.pattern, 0U);
  EXPECT_EQ(ask("/a/-/a-1.tgz").what.pattern, 1U);
  EXPECT_EQ(ask("/-/npm/v1/keys").what.pattern, 2U);
}

TEST(Npm, PassesOnWhatIsOneUsersOwn) {
  for (const std::string_view method : {"PUT", "DELETE", "POST", "PATCH", "OPTIONS"})
    EXPECT_EQ(ask("/left-pad", "", method).what.way, Way::pass) << method;
  for (const std::string_view rest :
       {"/-/v1/login", "/-/v1/done", "/-/user/org.couchdb.user:me", "/-/whoami", "/-/npm/v1/tokens",
        "/-/npm/v1/user", "/-/npm/v1/security/advisories/bulk", "/-/package/left-pad/dist-tags",
        "/-/v1/search?text=x", "/-/org/acme/user", "/-/team/acme/dev/user", "/-/ping", "/-/all",
        "/-/", "/-/unheard/of", "/-/npm/v1/keys/", "/-/npm/v1/attestations/",
        "/left-pad?write=true", "/@s/n?x=1&write=true"})
    EXPECT_EQ(ask(rest).what.way, Way::pass) << rest;
  EXPECT_EQ(ask("/a?write=truely").what.way, Way::cached);
}

TEST(Npm, SharesKeysAndAttestations) {
  for (const std::string_view rest : {"/-/npm/v1/keys", "/-/npm/v1/attestations/@s%2fn@1.0.0"}) {
    const Asked a = ask(rest);
    EXPECT_EQ(a.what.way, Way::cached) << rest;
    EXPECT_EQ(a.what.resource, policy::ResourceClass::metadata) << rest;
    EXPECT_FALSE(a.what.document) << rest;
    EXPECT_EQ(a.plan.target, rest);
  }
}

TEST(Npm, SendsUploadsInTheOneSpellingAndOtherBytesAsTheyCame) {
  EXPECT_EQ(ask("/@s/n", "", "PUT").plan.target, "/@s%2fn");
  EXPECT_EQ(ask("/@s%2Fn?write=true").plan.target, "/@s%2fn?write=true");
  EXPECT_FALSE(ask("/@s/n", "", "PUT").plan.fixed_headers);
  for (const std::string_view rest : {"/@s%2Fn/-rev/3-abc", "/@s%2Fn/-/n-1.tgz/-rev/3",
                                      "/@s%2Fn/-/n-1.tgz", "/-/package/@s%2Fn/dist-tags/latest"})
    EXPECT_EQ(ask(rest, "", "DELETE").plan.target, rest);
}

TEST(Npm, AWriteIsAboutAllDocumentsOfItsPackageAndOfNoOther) {
  const auto npm = make_npm();
  const auto outdates = [&](std::string_view written, const std::string& key) {
    const auto prefixes = npm->written(written);
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& p) { return key.starts_with(p); });
  };
  for (const std::string_view write :
       {"/@s%2fn", "/@s/n", "/@s%2Fn/-rev/3-abc", "/@s%2fn/-/n-1.tgz/-rev/3",
        "/-/package/@s%2fn/dist-tags/latest", "/@s%2fn?write=true"}) {
    for (const std::string_view read : {"/@s%2fn", "/@s/n/1.0.0", "/@s/n/-/n-1.tgz", "/@s/n?x=1"})
      EXPECT_TRUE(outdates(write, ask(read).key)) << write << " " << read;
    for (const std::string_view other : {"/@s/nn", "/@S/n", "/n", "/@s/m", "/-/npm/v1/keys"})
      EXPECT_FALSE(outdates(write, ask(other).key)) << write << " " << other;
  }
  for (const std::string_view nothing : {"/-/npm/v1/tokens", "/-/user/org.couchdb.user:me", "/",
                                         "/-/package/", "/a/../b", "/-/v1/login"})
    EXPECT_TRUE(npm->written(nothing).empty()) << nothing;
}

TEST(Npm, CountsTheQueryToTheKey) {
  EXPECT_NE(ask("/a?x=1").key, ask("/a").key);
  EXPECT_NE(ask("/a?").key, ask("/a").key);
  EXPECT_EQ(ask("/a?x=%2f").plan.target, "/a?x=%2f");
  EXPECT_NE(ask("/a/-/a-1.tgz?t=1").key, ask("/a/-/a-1.tgz").key);
}

TEST(Npm, NeverTakesAHostileNameForAPackage) {
  const std::string longest(214, 'a'), over(215, 'a');
  EXPECT_EQ(parse_npm_path("/" + longest).what, NpmPath::What::packument);
  for (const std::string& rest : std::vector<std::string>{"/" + over,
                                                          "/",
                                                          "",
                                                          "//a",
                                                          "/a/",
                                                          "/a//1",
                                                          "/a/-",
                                                          "/a/-/",
                                                          "/a%2fb",
                                                          "/%61",
                                                          "/@a",
                                                          "/@a/",
                                                          "/@a%2f",
                                                          "/@/b",
                                                          "/@%2fb",
                                                          "/@a%2fb%2fc",
                                                          "/@a%252fb",
                                                          "/%2540a/b",
                                                          "/@a%5cb",
                                                          "/..",
                                                          "/.",
                                                          "/%2e%2e",
                                                          "/a/..",
                                                          "/a/%2E.",
                                                          "/@a/..",
                                                          "/@a%2f..",
                                                          "/@..%2fb",
                                                          "/a/-/../b.tgz",
                                                          "/a/-/..%2fb",
                                                          "/a/-/%2e%2e%5Cb",
                                                          "/a/-/x/y.tgz",
                                                          "/@a/b/-/@c/b-1.tgz",
                                                          "/a b",
                                                          "/a\x1f"
                                                          "b",
                                                          "/a\r\nX: y",
                                                          "/_session",
                                                          "/.git",
                                                          "/\xc3\xa9",
                                                          "/a\\..\\b",
                                                          "/a/-/b.tgz/-rev/1"}) {
    const Asked a = ask(rest, kShort);
    EXPECT_FALSE(a.what.document) << rest;
    EXPECT_EQ(a.what.resource, policy::ResourceClass::generic) << rest;
    EXPECT_EQ(a.key, rest);
    EXPECT_EQ(a.plan.target, rest);
  }
  for (const std::string_view rest : {"/a/../b", "/a/%2e%2e/b", "/a/-/..%2f..%2fb", "/a\nb",
                                      "/a\x1f"
                                      "full"})
    EXPECT_EQ(ask(rest).what.way, Way::pass) << rest;
}

TEST(Npm, TreatsAWordWithAPercentSignInItAsItself) {
  EXPECT_NE(ask("/a/1.0.0%2bx").key, ask("/a/1.0.0+x").key);
  EXPECT_EQ(ask("/a/1.0.0%2bx").plan.target, "/a/1.0.0%2bx");
  EXPECT_NE(ask("/foo%2fbar").key, ask("/foo/bar").key);
}

TEST(Npm, NeverMapsDifferentPathsToOneKeyButForTheTwoEscapes) {
  const auto gen = rc::gen::container<std::string>(
      rc::gen::element('/', '@', '%', '2', 'f', 'F', '4', '0', '-', 'a', '.', '?', 'e', '_'));
  const auto plain = [](std::string s) {
    for (const std::string_view from : {"%2f", "%2F", "%40"})
      for (auto at = s.find(from); at != std::string::npos; at = s.find(from, at + 1))
        s.replace(at, from.size(), from == "%40" ? "@" : "/");
    return s;
  };
  EXPECT_TRUE(rc::check("keys stay as apart as the decoded paths", [&] {
    const std::string a = "/" + *gen;
    std::string b = a;  // one step away, so that mistakes have a chance
    const auto at = *rc::gen::inRange<std::size_t>(0, b.size());
    b.replace(at, *rc::gen::inRange<std::size_t>(0, 4),
              *rc::gen::element<std::string>("", "/", "@", "%2f", "%2F", "%40", "%", "-", "a", ".",
                                             "?", "%2e", "//"));
    if (!b.starts_with('/')) b.insert(0, "/");
    if (ask(a).key == ask(b).key) RC_ASSERT(plain(a) == plain(b));
    RC_ASSERT(plain(ask(a).plan.target) == plain(a));
  }));
}

TEST(Npm, FindsATarballsDigestInTheDocumentsOfItsPackage) {
  const auto npm = make_npm();
  for (const std::string_view rest : {"/@s%2fn/-/n-1.0.0.tgz", "/@s/n/-/@s/n-1.0.0.tgz"}) {
    const DigestSource source = npm->digest_source(rest, kBase);
    EXPECT_EQ(source.file, "n-1.0.0.tgz");
    ASSERT_EQ(source.keys.size(), 2U);
    EXPECT_EQ(source.keys[0], ask("/@s/n", kShort).key);
    EXPECT_EQ(source.keys[1], ask("/@s/n").key);
  }
  for (const std::string_view rest :
       {"/n", "/n/1.0.0", "/-/npm/v1/keys", "/n/-/n.tgz?x", "/../n/-/n.tgz"})
    EXPECT_TRUE(npm->digest_source(rest, kBase).keys.empty()) << rest;
}

TEST(Npm, FallsBackToTheShasum) {
  const auto npm = make_npm();
  const std::string sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
  EXPECT_EQ(npm->expected("", sha1)->kind, DigestKind::sha1);
  EXPECT_EQ(npm->expected("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", sha1)->kind,
            DigestKind::sha256);
  EXPECT_FALSE(npm->expected("sha512-no", "nor this"));
}

}  // namespace
}  // namespace tanggul::registry
