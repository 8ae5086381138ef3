#include "adapters/curl/guarded_web.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scripted_origin.h"

namespace tanggul::curl {
namespace {

using ports::WebAnswer;
using test::Script;
using test::ScriptedOrigin;
using testing::HasSubstr;

Expected<WebAnswer> get(const std::string& url, std::vector<std::string> trusted = {"127.0.0.1"},
                        ByteCount limit = 64_KiB) {
  return make_guarded_web({.trusted = std::move(trusted)})
      ->get({.url = url,
             .headers = {"Git-Protocol: version=2"},
             .limit = limit,
             .until = MonoClock::now() + 5s});
}

TEST(GuardedWeb, GivesWhatATrustedHostAnswers) {
  const ScriptedOrigin origin({.status = 429,
                               .headers = {{"Content-Type", "text/plain"}, {"Retry-After", "7"}},
                               .body = "slower"});
  const auto answer = get(origin.url() + "/a?b").value();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.url, origin.url() + "/a?b");
  EXPECT_EQ(answer.address, "127.0.0.1");
  EXPECT_EQ(answer.content_type, "text/plain");
  EXPECT_EQ(answer.retry_after, 7s);
  EXPECT_EQ(answer.body, "slower");
  EXPECT_EQ(origin.seen().at(0).headers.find("git-protocol"), "version=2");
}

TEST(GuardedWeb, AHostIsTrustedByNameOrByNameAndPort) {
  const ScriptedOrigin origin;
  const std::string port = origin.url().substr(origin.url().rfind(':'));
  EXPECT_TRUE(get(origin.url(), {"127.0.0.1" + port}));
  EXPECT_EQ(get(origin.url(), {"127.0.0.1:1"}).error().code, Errc::forbidden_address);
}

TEST(GuardedWeb, NeitherHttpNorAnAddressInsideIsAskedOfStrangers) {
  const ScriptedOrigin origin;
  const std::string port = origin.url().substr(origin.url().rfind(':'));
  for (const std::string host :
       {"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]",
        "0.0.0.0", "169.254.169.254", "10.0.0.1", "192.168.1.1", "[fe80::1]", "[fd00::1]"}) {
    EXPECT_EQ(get("https://" + host + port, {}).error().code, Errc::forbidden_address) << host;
    EXPECT_EQ(get("http://" + host + port, {}).error().code, Errc::forbidden_address) << host;
  }
  EXPECT_EQ(origin.connections(), 0U);
  for (const std::string url : {"file:///etc/passwd", "gopher://127.0.0.1/", "ext::sh", "", "/"})
    EXPECT_EQ(get(url).error().code, Errc::redirect) << url;
}

TEST(GuardedWeb, ARedirectIsFollowedAndItsEndIsTold) {
  ScriptedOrigin origin({.body = "here"});
  origin.set("/old", {.status = 301, .headers = {{"Location", "/new?x=1"}}});
  const auto answer = get(origin.url() + "/old").value();
  EXPECT_EQ(answer.url, origin.url() + "/new?x=1");
  EXPECT_EQ(answer.body, "here");
}

TEST(GuardedWeb, ARedirectLeadsToNoOtherTrustedHost) {
  const ScriptedOrigin inside;
  const ScriptedOrigin outside({.status = 302, .headers = {{"Location", inside.url() + "/"}}});
  const auto answer = get(outside.url());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::forbidden_address);
  EXPECT_EQ(inside.connections(), 0U);
}

TEST(GuardedWeb, RedirectsEndSomewhere) {
  ScriptedOrigin origin({.status = 302, .headers = {{"Location", "/again"}}});
  EXPECT_EQ(get(origin.url()).error().code, Errc::redirect);
  EXPECT_EQ(origin.requests(), 6U);
  origin.set_default({.status = 302, .headers = {{"Location", "file:///etc/passwd"}}});
  EXPECT_EQ(get(origin.url()).error().code, Errc::redirect);
}

TEST(GuardedWeb, OfALongBodyTheBeginningIsEnough) {
  const ScriptedOrigin origin({.generated_size = 100 << 20});
  const auto answer = get(origin.url(), {"127.0.0.1"}, 1000).value();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, test::generated_bytes(0, 1000));
  EXPECT_FALSE(answer.whole);
}

TEST(GuardedWeb, FaultsAreToldApart) {
  EXPECT_EQ(get("http://127.0.0.1:1/").error().code, Errc::refused);
  ScriptedOrigin origin({.fault = test::Fault::reset_before_head});
  EXPECT_EQ(get(origin.url()).error().code, Errc::reset);
  origin.set_default({.body = "12345", .fault = test::Fault::cut_body_at, .cut_at = 2});
  EXPECT_EQ(get(origin.url()).error().code, Errc::reset);
  origin.set_default({.fault = test::Fault::never_answer});
  const auto late = make_guarded_web({.trusted = {"127.0.0.1"}})
                        ->get({.url = origin.url(), .until = MonoClock::now() + 200ms});
  EXPECT_EQ(late.error().code, Errc::deadline);
}

}  // namespace
}  // namespace tanggul::curl
