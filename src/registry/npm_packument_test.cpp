#include "registry/npm_packument.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/json.hpp>
#include <functional>

#include "registry/npm.h"

namespace tanggul::registry {
namespace {

namespace json = boost::json;
constexpr std::string_view kBase = "http://cache.test/npm", kUpstream = "https://r.test/api/npm";

Result<Rewritten> rewrite(std::string_view body, std::string_view rest = "/left-pad") {
  return make_npm()->rewrite(body, rest, kBase, kUpstream);
}
std::string text(std::string_view body, std::string_view rest = "/left-pad") {
  auto made = rewrite(body, rest);
  return made ? made->body : made.error().message();
}
std::string dist(std::string_view url, std::string_view more = "") {
  return R"({"dist":{"tarball":")" + std::string(url) + "\"" + std::string(more) + "}}";
}
std::string versions(std::vector<std::string> each) {
  std::string out = R"({"versions":{)";
  for (std::size_t i = 0; i < each.size(); ++i)
    out += (i > 0 ? "," : "") + ("\"" + std::to_string(i)) + "\":" + each[i];
  return out + "}}";
}
const ArtifactDigest* find(const Rewritten& made, std::string_view file) {
  for (const auto& d : made.digests)
    if (d.file == file) return &d;
  return nullptr;
}

TEST(Packument, PointsTarballsAtTheMount) {
  EXPECT_EQ(text(dist("https://r.test/api/npm/left-pad/-/left-pad-1.0.0.tgz")),
            dist("http://cache.test/npm/left-pad/-/left-pad-1.0.0.tgz"));
  for (const std::string_view rest : {"/@s%2fn", "/@s/n", "/%40s%2Fn/latest"})
    EXPECT_EQ(text(dist("http://elsewhere.test/@s/n/-/n-1.0.0.tgz?sig=1#x"), rest),
              dist("http://cache.test/npm/@s/n/-/n-1.0.0.tgz"));
}

TEST(Packument, ReadsUrlsHoweverTheyAreSpelt) {
  const std::string out = dist("http://cache.test/npm/left-pad/-/a-1.tgz");
  EXPECT_EQ(text(dist(R"(https:\/\/r.test\/x\/a-1.tgz)")), out);
  EXPECT_EQ(text(dist(R"(\u0068ttps\u003A//r.test/x/a\u002d1.tgz)")), out);
  EXPECT_EQ(text("{\"dist\":{\"t\\u0061rball\" \n:\t \"HTTPS://r.test/a-1.tgz\" } }"),
            "{\"dist\":{\"t\\u0061rball\" \n:\t \"http://cache.test/npm/left-pad/-/a-1.tgz\" } }");
}

TEST(Packument, LeavesEverythingElseByteForByte) {
  for (
      const std::string body :
      {R"({"readme":"see \"tarball\": \"http:\/\/x\/a.tgz\" \\","n":1.50e+02,"z":-0,"a":[ ]})",
       R"({"tarball":1,"a":{"tarball":null},"b":{"tarball":["http://x/a.tgz"]},"c":{"tarball":{}}})",
       R"({"k":["tarball","http://x/a.tgz"],"tarball\\":"http://x/a.tgz","x":"tarball"})",
       R"({"dist":{"tarball":"ftp://x/a.tgz"},"a":{"tarball":"a.tgz"},"b":{"tarball":""}})",
       R"({"dist":{"tarball":"http://x"},"a":{"tarball":"http://x/"},"b":{"tarball":"http:///a"}})",
       R"({"dist":{"tarball":"http://x/.."},"a":{"tarball":"http://x/%2e"},"b":{"tarball":"http://x/a b"}})",
       R"({"dist":{"tarball":"http://u:p@x/a.tgz"},"a":{"tarball":"http://x/\u00e9.tgz"}})",
       R"({"dist":{"tarball":"http://x/a\r\nb"},"a":{"tarball":"http://x/\"b"},"b":{"tarball":"http://x?/a"}})",
       R"({"dist":{"tarball":"http://x\\@y/a.tgz"},"a":{"tarball":"http://x/{a}/a.tgz"}})",
       " \r\n{ \"big\" : 12345678901234567890123 , \"u\":\"\\ud83d\\ude00 \xf0\x9f\x98\x80\" "
       "}\t\n"})
    EXPECT_EQ(text(body), body);
}

TEST(Packument, AllowsReadmesThatWereCutInTheMiddleOfACharacter) {
  for (const std::string& body :
       std::vector<std::string>{R"({"readme":"\ud83d"})", R"({"readme":"\ude00\\ud83d\ud83dx"})",
                                R"({"a\ud83d":"\ud83d\u0041"})", "{\"readme\":\"\xf0\x9f\"}"})
    EXPECT_EQ(text(body), body);
}

TEST(Packument, RefusesWhatIsNoJsonObject) {
  std::string deep = R"({"a":)";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  for (const std::string& body : std::vector<std::string>{
           "", "null", "[]", R"("x")", "{", R"({"a":1}x)", "<html>", R"({"a":01})", R"({"a":"\x"})",
           R"({"dist":{"tarball":"http://x/a.tgz})", R"({"a":"\u12"})", R"({} \ud83d)", deep}) {
    const auto made = rewrite(body);
    ASSERT_FALSE(made) << body.substr(0, 40);
    EXPECT_EQ(made.error(), make_error_code(Errc::bad_response));
  }
}

TEST(Packument, EscapesTheAddressThatItWritesAndRefusesAnEndlessOne) {
  const auto npm = make_npm();
  const auto made = npm->rewrite(dist("http://x/a.tgz"), "/n", "http://h\"\\\n", kUpstream);
  ASSERT_TRUE(made);
  EXPECT_EQ(json::parse(made->body).at_pointer("/dist/tarball").as_string(),
            "http://h\"\\\n/n/-/a.tgz");
  EXPECT_FALSE(npm->rewrite("{}", "/n", std::string(5000, 'x'), kUpstream));
}

TEST(Packument, DoesNotLetADocumentGrowWithoutBound) {
  std::vector<std::string> each(20'000, dist("http://h/f"));
  const auto npm = make_npm();
  const auto made =
      npm->rewrite(versions(each), "/n", "http://" + std::string(1000, 'h'), kUpstream);
  EXPECT_EQ(made.error(), make_error_code(Errc::too_large));
}

TEST(Packument, KeepsWhatItSaysOfItsArtifacts) {
  const auto made = rewrite(versions({
      dist("https://r.test/api/npm/left-pad/-/b.tgz", R"(,"integrity":"sha512-x","shasum":"12")"),
      dist("https://cdn.test/b/a.tgz?sig=1", R"(,"shasum":"34","signatures":[{"integrity":"no"}])"),
      R"({"other":{"dist":{"tarball":"http://x/no.tgz","shasum":"1"}},"dist":[{"tarball":"http://x/nor.tgz"}]})",
      R"({"dist":{"shasum":"56","tarball":"https:\/\/R.test\/api\/npm\/left-pad\/-\/c.tgz","integrity":7}})",
  }));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->digests.size(), 3U);
  EXPECT_EQ(made->digests[0].file, "a.tgz");
  EXPECT_EQ(made->digests[0].url, "https://cdn.test/b/a.tgz?sig=1");
  EXPECT_EQ(made->digests[0].integrity, "");
  EXPECT_EQ(made->digests[1].url, "");
  EXPECT_EQ(made->digests[1].integrity, "sha512-x");
  EXPECT_EQ(made->digests[1].sha1, "12");
  EXPECT_EQ(made->digests[2].sha1, "56");
  EXPECT_EQ(made->digests[2].url, "");
}

TEST(Packument, KnowsTheStandardPlace) {
  const auto url_of = [](std::string_view url, std::string_view rest) {
    const auto made = rewrite(dist(url, R"(,"shasum":"1")"), rest);
    return made && made->digests.size() == 1 ? made->digests[0].url : "none";
  };
  for (const std::string_view url :
       {"https://r.test/api/npm/@s/n/-/n-1.tgz", "https://r.test/api/npm/@s%2Fn/-/n-1.tgz#x",
        "HTTPS://R.TEST/api/npm/%40s%2fn/-/n-1.tgz"})
    EXPECT_EQ(url_of(url, "/@s%2fn/1"), "") << url;
  for (const std::string_view url :
       {"http://r.test/api/npm/@s/n/-/n-1.tgz", "https://r.test/api/npm/@s/m/-/n-1.tgz",
        "https://r.test/api/npm2/@s/n/-/n-1.tgz", "https://r.test/api/npm/@s/n/-/n-1.tgz?a",
        "https://r.test/API/npm/@s/n/-/n-1.tgz", "https://r.test/api/npm/@s/n/-/@s/n-1.tgz",
        "https://r.test/api/npm/../npm/@s/n/-/n-1.tgz"})
    EXPECT_EQ(url_of(url, "/@s/n/1"), url);
}

TEST(Packument, TrustsNoDigestOfAFileThatHasTwo) {
  const std::string a = "https://cdn.test/x/f.tgz", b = "https://cdn.test/y/f.tgz";
  const auto twice = rewrite(versions({dist(a, R"(,"shasum":"1")"), dist(a, R"(,"shasum":"1")")}));
  EXPECT_EQ(find(*twice, "f.tgz")->sha1, "1");
  const auto differing =
      rewrite(versions({dist(a, R"(,"shasum":"1")"), dist(a, R"(,"shasum":"2")")}));
  EXPECT_EQ(find(*differing, "f.tgz")->sha1, "");
  EXPECT_EQ(find(*differing, "f.tgz")->url, a);
  const std::string apart = versions({dist(a, R"(,"shasum":"1")"), dist(b, R"(,"shasum":"2")")});
  const auto two = rewrite(apart);
  EXPECT_EQ(find(*two, "f.tgz"), nullptr);
  EXPECT_EQ(two->body, apart) << "one address cannot stand for two files";
}

TEST(Packument, ReadsOnlyTheDistsOfItsOwnSort) {
  const std::string both =
      R"({"dist":{"tarball":"http://x/top.tgz"},"versions":{"1":)" + dist("http://x/in.tgz") + "}}";
  const auto packument = rewrite(both), manifest = rewrite(both, "/left-pad/latest");
  EXPECT_EQ(find(*packument, "top.tgz"), nullptr);
  EXPECT_NE(find(*packument, "in.tgz"), nullptr);
  EXPECT_NE(find(*manifest, "top.tgz"), nullptr);
  EXPECT_EQ(find(*manifest, "in.tgz"), nullptr);
}

TEST(Packument, TakesTenThousandVersionsAndTheWorstOfStrings) {
  std::vector<std::string> each;
  for (int i = 0; i < 10'000; ++i)
    each.push_back(dist("https://r.test/api/npm/left-pad/-/f-" + std::to_string(i) + ".tgz",
                        R"(,"shasum":"1")"));
  const auto made = rewrite(versions(each));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->digests.size(), 10'000U);
  EXPECT_EQ(made->body.find("r.test"), std::string::npos);
  // Quadratic work on any of these would run for hours.
  const std::string backslashes(4'000'000, '\\');
  EXPECT_EQ(text("{\"a\":\"" + backslashes + "\"}").size(), backslashes.size() + 8);
  std::string halves;
  for (int i = 0; i < 500'000; ++i) halves += R"(\ud83d)";
  EXPECT_EQ(text("{\"a\":\"" + halves + "\"}").size(), halves.size() + 8);
  const std::string spaces(4'000'000, ' ');
  EXPECT_EQ(text("{\"a\"" + spaces + ":1}").size(), spaces.size() + 7);
}

// Any document, in any of JSON's spellings of its strings.
json::value any_value(int depth, bool tarballs) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 5);
  switch (kind) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
    case 4:
      return json::value(*rc::gen::element<std::string>(
          "", "tarball", "\"tarball\":\"http://x/a\"", "é\n\\", "\xf0\x9f\x98\x80",
          "http://x/a.tgz", "https://r.test/y/b-2.tgz?q"));
    case 5: {
      json::array out;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        out.push_back(any_value(depth - 1, tarballs));
      return out;
    }
    default: {
      json::object out;
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        auto key = *rc::gen::element<std::string>("versions", "dist", "1.0.0", "tarball", "shasum",
                                                  "a\"b", "");
        if (!tarballs && key == "tarball") key = "ball";
        out[key] = any_value(depth - 1, tarballs);
      }
      return out;
    }
  }
}

void blank_tarballs(json::value& v) {
  if (auto* array = v.if_array())
    for (auto& each : *array) blank_tarballs(each);
  if (auto* object = v.if_object())
    for (auto& each : *object) {
      if (each.key() == "tarball" && each.value().is_string()) each.value() = "";
      blank_tarballs(each.value());
    }
}

TEST(Packument, IsUnchangedWithoutTarballs) {
  EXPECT_TRUE(rc::check("rewriting is the identity", [] {
    const std::string body = json::serialize(
        json::object{{"a", any_value(4, false)}, {"versions", any_value(3, false)}});
    RC_ASSERT(text(body) == body);
  }));
}

TEST(Packument, SaysTheSameButForItsTarballs) {
  EXPECT_TRUE(rc::check("all other members keep their values", [] {
    const std::string body =
        json::serialize(json::object{{"a", any_value(4, true)}, {"versions", any_value(4, true)}});
    const auto made = rewrite(body);
    RC_ASSERT(made.has_value());
    json::value before = json::parse(body), after = json::parse(made->body);
    blank_tarballs(before);
    blank_tarballs(after);
    RC_ASSERT(before == after);
    const auto again = rewrite(made->body);
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->body == made->body);
  }));
}

}  // namespace
}  // namespace tanggul::registry
