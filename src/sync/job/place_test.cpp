#include "sync/job/place.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace tanggul::sync {
namespace {

using ports::WebAnswer;

// Answers what it was told to, by URL.
class FakeWeb final : public ports::Web {
 public:
  std::map<std::string, Expected<WebAnswer>> answers;
  std::vector<std::string> asked;

  Expected<WebAnswer> get(const ports::WebRequest& request) override {
    asked.push_back(request.url);
    const auto found = answers.find(request.url);
    if (found != answers.end()) return found->second;
    return WebAnswer{.status = 404, .url = request.url};
  }
};

constexpr const char* kUrl = "https://git.example.org/a/b";
constexpr const char* kRefs = "/info/refs?service=git-upload-pack";

WebAnswer git_answer(const std::string& url) {
  return {.status = 200,
          .url = url + kRefs,
          .address = "192.0.2.1",
          .content_type = "application/x-git-upload-pack-advertisement"};
}

Place looked(Expected<WebAnswer> answer, const std::string& url = kUrl) {
  FakeWeb web;
  web.answers.insert_or_assign(url + kRefs, std::move(answer));
  return look_at(web, url, kForever);
}

TEST(Place, IsWhereRedirectsHaveLed) {
  const Place place = looked(git_answer("https://git.example.org/new/name"));
  ASSERT_TRUE(place.remote);
  EXPECT_EQ(place.remote->url, "https://git.example.org/new/name");
  EXPECT_EQ(place.remote->address, "192.0.2.1");
}

TEST(Place, IsLookedForWithDotGitWhereNothingLiesWithout) {
  FakeWeb web;
  const std::string with = std::string(kUrl) + ".git";
  web.answers.insert_or_assign(with + kRefs, git_answer(with));
  EXPECT_EQ(look_at(web, kUrl, kForever).remote->url, with);
  EXPECT_EQ(web.asked.size(), 2U);
  EXPECT_EQ(look_at(web, with, kForever).remote->url, with);
}

TEST(Place, WhatIsNotThereIsGoneForItsReason) {
  const std::pair<int, const char*> cases[] = {
      {404, "not_found"}, {410, "not_found"},     {401, "not_public"},   {403, "not_public"},
      {451, "blocked"},   {418, "no_repository"}, {204, "no_repository"}};
  for (const auto& [status, reason] : cases) {
    const Place place = looked(WebAnswer{.status = status});
    EXPECT_FALSE(place.remote);
    EXPECT_EQ(place.end, JobEnd::gone) << status;
    EXPECT_EQ(place.reason, reason) << status;
  }
  EXPECT_EQ(looked(WebAnswer{.status = 200, .content_type = "text/html"}).reason, "no_repository");
  EXPECT_EQ(looked(WebAnswer{.status = 200, .content_type = "text/plain"}).reason, "no_repository");
}

TEST(Place, AHostThatSaysThatItIsBusyIs) {
  for (const int status : {429, 503}) {
    const Place place = looked(WebAnswer{.status = status, .retry_after = 7s});
    EXPECT_EQ(place.end, JobEnd::busy);
    EXPECT_EQ(place.retry_after, 7s);
  }
}

TEST(Place, AForgeThatFailsIsNobodysFaultAndAnotherHostIsItsJobs) {
  const std::string forge = "https://github.com/a/b";
  for (const Errc code : {Errc::refused, Errc::connect_timeout, Errc::reset, Errc::stalled}) {
    EXPECT_EQ(looked(Failure{code, "x"}).end, JobEnd::transient);
    EXPECT_EQ(looked(Failure{code, "x"}, forge).end, JobEnd::busy);
  }
  EXPECT_EQ(looked(Failure{Errc::deadline, "x"}, forge).end, JobEnd::timeout);
  EXPECT_EQ(looked(WebAnswer{.status = 500}).end, JobEnd::transient);
  EXPECT_EQ(looked(WebAnswer{.status = 502}, forge).end, JobEnd::busy);
}

TEST(Place, WhatMayNotBeAskedIsGone) {
  for (const Errc code : {Errc::forbidden_address, Errc::redirect}) {
    const Place place = looked(Failure{code, "x"});
    EXPECT_EQ(place.end, JobEnd::gone);
    EXPECT_EQ(place.reason, "forbidden");
  }
}

}  // namespace
}  // namespace tanggul::sync
