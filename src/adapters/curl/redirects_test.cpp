#include "adapters/curl/redirects.h"

#include <gtest/gtest.h>

namespace tanggul::curl {
namespace {

std::string resolve(std::string_view location, Hop from = {"http://a:81", "/d/e/f?q"}) {
  const auto hop = next_hop(from, location);
  return hop ? hop->base + " " + hop->target : std::string(hop.error().message());
}
const std::string kRefused = make_error_code(Errc::redirect).message();

TEST(Redirects, ResolveEveryFormOfReference) {
  EXPECT_EQ(resolve("https://B.example:443/x"), "https://b.example /x");
  EXPECT_EQ(resolve("http://b:80?y"), "http://b /?y");
  EXPECT_EQ(resolve("//c:9/x"), "http://c:9 /x");
  EXPECT_EQ(resolve("/x?y#z"), "http://a:81 /x?y");
  EXPECT_EQ(resolve("?y"), "http://a:81 /d/e/f?y");
  EXPECT_EQ(resolve("g"), "http://a:81 /d/e/g");
  EXPECT_EQ(resolve("./g/?y=../"), "http://a:81 /d/e/g/?y=../");
  EXPECT_EQ(resolve("../g/."), "http://a:81 /d/g/");
  EXPECT_EQ(resolve("../../../g"), "http://a:81 /g");
  EXPECT_EQ(resolve(".."), "http://a:81 /d/");
  EXPECT_EQ(resolve("#f"), "http://a:81 /d/e/f?q");
  EXPECT_EQ(resolve("/u:x"), "http://a:81 /u:x");
  EXPECT_EQ(resolve("http://[::1]:8080/"), "http://[::1]:8080 /");
}

TEST(Redirects, KeepRawPathsAndEscapeWhatTheWireCannotCarry) {
  EXPECT_EQ(resolve("/@s%2fn/../x//y"), "http://a:81 /@s%2fn/../x//y");
  EXPECT_EQ(resolve("http://b/@s%2Fn/./x"), "http://b /@s%2Fn/./x");
  EXPECT_EQ(resolve("/a b\xc3\xa9"), "http://a:81 /a%20b%c3%a9");
}

TEST(Redirects, RefuseOtherSchemesDowngradesAndNonsense) {
  for (const char* bad : {"ftp://b/x", "file:///etc/passwd", "javascript:1", "http:///x",
                          "http://b:0/", "http://b:99999/", "http://b:x/", "http://b c/", "/x\ry",
                          "http://b\\c/", "http://[::1/", "mailto:x"}) {
    EXPECT_EQ(resolve(bad), kRefused) << bad;
  }
  EXPECT_EQ(resolve("http://a/", {"https://a", "/"}), kRefused);
  EXPECT_EQ(resolve("//b/x", {"https://a", "/"}), "https://b /x");
}

TEST(Redirects, DropUserNames) {
  EXPECT_EQ(resolve("http://user:secret@b/x"), "http://b /x");
  EXPECT_EQ(canonical_base("http://a@evil@b:80/x"), "http://b");
}

TEST(Redirects, LeaveCredentialsBehind) {
  http::Headers h;
  for (const char* name : {"Authorization", "Cookie", "Host", "X-Token", "Accept"})
    h.add(name, "v");
  const http::Headers left = without_credentials(h, {"x-token"});
  EXPECT_EQ(left.size(), 1u);
  EXPECT_TRUE(left.has("accept"));
}

}  // namespace
}  // namespace tanggul::curl
