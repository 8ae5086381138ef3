#include <gtest/gtest.h>

#include "adapters/curl/fetch_for_test.h"

namespace tanggul::curl {
namespace {

// To these tests 127.0.0.2 is an internal address and every other one is not.
CurlConfig only_two_is_internal() {
  return {.is_internal = [](std::string_view address) { return address == "127.0.0.2"; }};
}

class CurlRedirects : public CurlTest {
 protected:
  CurlRedirects() : CurlTest(only_two_is_internal()) {}
  static Script to(std::string location, int status = 302) {
    return {.status = status, .headers = {{"Location", std::move(location)}}, .body = "elsewhere"};
  }
  ScriptedOrigin origin_a_, origin_b_{Script{.body = "b"}};
};

TEST_F(CurlRedirects, AreFollowedForGetAndHead) {
  origin_a_.set("/end", {.body = "end"});
  for (const int status : {301, 302, 303, 307, 308}) {
    origin_a_.set("/start", to("end", status));
    const FetchPtr f = get(origin_a_, "/start");
    EXPECT_EQ(f->head.status, 200);
    EXPECT_EQ(f->heads, 1);
    EXPECT_EQ(f->body, "end");
    EXPECT_EQ(f->end.requests, 2);
  }
  EXPECT_EQ(origin_a_.connections(), 1u);  // the bodies of redirects are read to the end
  const FetchPtr head = make(origin_a_.url(), "/start");
  head->request.method = "HEAD";
  run(head);
  EXPECT_EQ(head->head.status, 200);
  EXPECT_EQ(origin_a_.seen().back().method, "HEAD");
}

TEST_F(CurlRedirects, AreFinalForOthersAndWithoutLocation) {
  origin_a_.set("/start", to("/end"));
  const FetchPtr post = make(origin_a_.url(), "/start");
  post->request.method = "POST";
  EXPECT_EQ(run(post)->head.status, 302);
  EXPECT_EQ(post->head.headers.find("location"), "/end");
  const FetchPtr unwanted = make(origin_a_.url(), "/start");
  unwanted->request.follow_redirects = false;
  EXPECT_EQ(run(unwanted)->head.status, 302);
  EXPECT_EQ(unwanted->body, "elsewhere");
  origin_a_.set("/bare", {.status = 302});
  EXPECT_EQ(get(origin_a_, "/bare")->head.status, 302);
  origin_a_.set("/300", to("/end", 300));
  EXPECT_EQ(get(origin_a_, "/300")->head.status, 300);
}

TEST_F(CurlRedirects, EndAfterFiveOrAtAnUnfitPlace) {
  for (int i = 0; i < 5; ++i) {
    origin_a_.set("/" + std::to_string(i), to("/" + std::to_string(i + 1)));
  }
  origin_a_.set("/5", {.body = "five"});
  EXPECT_EQ(get(origin_a_, "/0")->body, "five");
  origin_a_.set("/loop", to("/loop"));
  const FetchPtr loop = get(origin_a_, "/loop");
  EXPECT_EQ(loop->end.error, Errc::redirect);
  EXPECT_EQ(loop->end.requests, 6);
  EXPECT_EQ(loop->heads, 0);
  for (const char* bad : {"ftp://127.0.0.1/x", "file:///etc/passwd", "http://", "gopher:x"}) {
    origin_a_.set("/bad", to(bad));
    EXPECT_EQ(get(origin_a_, "/bad")->end.error, Errc::redirect) << bad;
  }
}

TEST_F(CurlRedirects, KeepRawTargets) {
  origin_a_.set("/start", to(origin_b_.url() + "/@s%2fn/../x//y?z"));
  EXPECT_EQ(get(origin_a_, "/start")->body, "b");
  EXPECT_EQ(origin_b_.seen().at(0).target, "/@s%2fn/../x//y?z");
}

TEST_F(CurlRedirects, CarryCredentialsNoFurtherThanTheUpstream) {
  const auto fetch = [&] {
    const FetchPtr f = make(origin_a_.url(), "/start");
    for (const char* name : {"Authorization", "Cookie", "X-Registry-Token", "X-Other"}) {
      f->request.headers.add(name, "secret");
    }
    f->request.credential_headers = {"x-registry-token"};
    return run(f);
  };
  origin_a_.set("/start", to("/end"));
  fetch();
  for (const char* name : {"authorization", "cookie", "x-registry-token", "x-other"}) {
    EXPECT_TRUE(origin_a_.seen().back().headers.has(name)) << name;
  }
  // To b and back: what was dropped does not come again.
  origin_a_.set("/start", to(origin_b_.url() + "/x"));
  origin_b_.set("/x", to(origin_a_.url() + "/end"));
  fetch();
  for (const ScriptedOrigin* o : {&origin_b_, &origin_a_}) {
    const http::Headers seen = o->seen().back().headers;
    for (const char* name : {"authorization", "cookie", "x-registry-token"}) {
      EXPECT_FALSE(seen.has(name)) << name;
    }
    EXPECT_TRUE(seen.has("x-other"));
  }
  EXPECT_EQ(origin_b_.seen().back().headers.find("host"), origin_b_.url().substr(7));
}

TEST_F(CurlRedirects, FromAPublicUpstreamDoNotReachInternalAddresses) {
  ScriptedOrigin inner({.body = "metadata"}, "127.0.0.2");
  origin_a_.set("/start", to(inner.url() + "/latest"));
  const FetchPtr f = get(origin_a_, "/start");
  EXPECT_EQ(f->end.error, Errc::forbidden_address) << f->end.detail;
  EXPECT_EQ(f->end.requests, 1);
  EXPECT_EQ(f->heads, 0);
  EXPECT_EQ(inner.connections(), 0u);
  // Nor by a pooled connection that another, internal, upstream has opened.
  EXPECT_EQ(get(inner)->body, "metadata");
  inner.reset_counts();
  EXPECT_EQ(get(origin_a_, "/start")->end.error, Errc::forbidden_address);
  EXPECT_EQ(inner.requests(), 0u);
}

TEST_F(CurlRedirects, FromAnInternalUpstreamMayStayInside) {
  ScriptedOrigin inner({.body = "inner"}, "127.0.0.2"), store({.body = "store"}, "127.0.0.2");
  inner.set("/start", to(store.url() + "/x"));
  EXPECT_EQ(get(inner, "/start")->body, "store");
}

TEST_F(CurlRedirects, WithAnEndlessBodyAreFollowedAllTheSame) {
  Script endless = to("/end");
  endless.fault = Fault::endless_body;
  origin_a_.set("/start", endless);
  origin_a_.set("/end", {.body = "end"});
  EXPECT_EQ(get(origin_a_, "/start")->body, "end");
}

}  // namespace
}  // namespace tanggul::curl
