#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/curl/curl_origin.h"
#include "async/spawn.h"
#include "support/scripted_origin.h"

namespace tanggul::curl {

using namespace std::chrono_literals;
using ports::BodyFraming;
using test::Fault;
using test::Framing;
using test::Script;
using test::ScriptedOrigin;

// One fetch, its receiver, and how it ended.
struct Fetch : ports::ResponseSink {
  bool on_head(http::ResponseHead h, BodyFraming f, std::optional<ByteCount> l) override {
    ++heads;
    head = std::move(h);
    framing = f;
    length = l;
    if (seen_head) seen_head();
    return !refuse_head;
  }
  bool on_data(std::string_view bytes) override {
    for (std::size_t i = 0; check_generated && i < bytes.size(); ++i) {
      wrong_bytes += bytes[i] != test::byte_at(size + i) ? 1 : 0;
    }
    size += bytes.size();
    if (!check_generated) body += bytes;
    return size <= refuse_after;
  }

  ports::OriginRequest request;
  ports::Cancellation cancel;
  bool refuse_head = false, check_generated = false;
  ByteCount refuse_after = UINT64_MAX;
  std::function<void()> seen_head;

  int heads = 0;
  http::ResponseHead head;
  BodyFraming framing = BodyFraming::none;
  std::optional<ByteCount> length;
  std::string body;
  ByteCount size = 0, wrong_bytes = 0;
  bool done = false;
  ports::FetchEnd end;
};
using FetchPtr = std::shared_ptr<Fetch>;

inline Task<void> run_fetch(ports::Origin& origin, FetchPtr fetch) {
  fetch->end = co_await origin.fetch(fetch->request, *fetch, fetch->cancel);
  fetch->done = true;
}

// The adapter on an io_context of its own, driven by the test.
class CurlTest : public testing::Test {
 protected:
  explicit CurlTest(CurlConfig config = {})
      : origin_(make_curl_origin(io_.get_executor(), std::move(config))) {}

  FetchPtr make(std::string base, std::string target = "/") {
    auto fetch = std::make_shared<Fetch>();
    fetch->request.base = std::move(base);
    fetch->request.target = std::move(target);
    fetch->request.headers.add("User-Agent", "test");
    return fetch;
  }
  void start(const FetchPtr& fetch) {
    async::spawn(io_.get_executor(), "fetch", run_fetch(*origin_, fetch));
  }
  // Bounded against hangs only.
  void run(const std::vector<FetchPtr>& fetches) {
    for (const FetchPtr& f : fetches) start(f);
    const MonoTime end = MonoClock::now() + 60s;
    for (const FetchPtr& f : fetches) {
      while (!f->done && MonoClock::now() < end) {
        if (io_.run_one_for(std::chrono::seconds(1)) == 0) io_.restart();
      }
      ASSERT_TRUE(f->done) << f->request.target;
    }
  }
  FetchPtr run(const FetchPtr& fetch) {
    run(std::vector<FetchPtr>{fetch});
    return fetch;
  }
  FetchPtr get(const ScriptedOrigin& from, std::string target = "/") {
    return run(make(from.url(), std::move(target)));
  }

  async::asio::io_context io_{1};
  std::unique_ptr<ports::Origin> origin_;
};

}  // namespace tanggul::curl
