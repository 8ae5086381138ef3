#include <gtest/gtest.h>

#include <list>
#include <thread>

#include "adapters/curl/fetch_for_test.h"
#include "async/timer.h"
#include "support/raw_exchange.h"

namespace tanggul::curl {
namespace {

class CurlFaults : public CurlTest {
 protected:
  FetchPtr play(Script script) {
    ScriptedOrigin origin(std::move(script));
    return run(quick(origin.url()));
  }
  FetchPtr quick(std::string base) {
    const FetchPtr f = make(std::move(base));
    f->request.timeouts = {.connect = 2s, .first_byte = 5s, .idle = 5s, .min_rate = 0};
    return f;
  }
};

TEST_F(CurlFaults, RefusedWhenNobodyListens) {
  const FetchPtr f = run(quick("http://127.0.0.1:" + std::to_string(test::free_port())));
  EXPECT_EQ(f->end.error, Errc::refused) << f->end.detail;
  EXPECT_EQ(f->end.requests, 0);
  EXPECT_EQ(f->end.connections, 0);
  EXPECT_FALSE(f->end.detail.empty());
}

// A full backlog: the kernel drops further SYNs, as a dead host would.
struct DeadHost {
  using tcp = async::asio::ip::tcp;
  explicit DeadHost(async::asio::io_context& io)
      : full(io, {async::asio::ip::address_v4::loopback(), 0}, false) {
    full.listen(0);
    for (int i = 0; i < 4; ++i) {
      fill.emplace_back(io).async_connect(full.local_endpoint(), [](boost::system::error_code) {});
    }
  }
  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(full.local_endpoint().port());
  }
  tcp::acceptor full;
  std::list<tcp::socket> fill;
};

TEST_F(CurlFaults, ConnectTimeoutWhenNobodyAccepts) {
  const DeadHost host(io_);
  const FetchPtr f = quick(host.url());
  f->request.timeouts.connect = 50ms;
  run(f);
  EXPECT_EQ(f->end.error, Errc::connect_timeout) << f->end.detail;
  EXPECT_EQ(f->end.requests, 0);
  EXPECT_EQ(f->end.connections, 0);
}

TEST_F(CurlFaults, CancelledWhileConnecting) {
  const DeadHost host(io_);
  const FetchPtr f = quick(host.url());
  f->request.timeouts.connect = 1h;
  async::Timer soon(io_.get_executor(), 20ms);
  soon.async_wait([&](boost::system::error_code) { f->cancel.cancel(); });
  EXPECT_EQ(run(f)->end.error, Errc::cancelled);
  EXPECT_EQ(f->end.requests, 0);
}

TEST_F(CurlFaults, FirstByteTimeoutWhenTheOriginThinksTooLong) {
  ScriptedOrigin origin({.fault = Fault::never_answer});
  const FetchPtr f = quick(origin.url());
  f->request.timeouts.first_byte = 50ms;
  run(f);
  EXPECT_EQ(f->end.error, Errc::first_byte_timeout);
  EXPECT_EQ(f->end.requests, 1);
  EXPECT_EQ(f->end.connections, 1);
  while (origin.open_connections() > 0) std::this_thread::yield();  // given up, not pooled
}

TEST_F(CurlFaults, StalledWhenTheBodyStandsStillOrDrips) {
  for (const ByteCount min_rate : {0u, 1024u}) {
    ScriptedOrigin origin({.body = std::string(10'000, 'x'),
                           .fault = Fault::drip,
                           .drip_interval = min_rate ? 5ms : 60s * 10});
    const FetchPtr f = quick(origin.url());
    f->request.timeouts.idle = 100ms;
    f->request.timeouts.min_rate = min_rate;
    run(f);
    EXPECT_EQ(f->end.error, Errc::stalled);
    EXPECT_EQ(f->head.status, 200);
  }
}

TEST_F(CurlFaults, ASlowBodyThatMovesIsNotStalled) {
  ScriptedOrigin origin({.generated_size = 30'000, .bytes_per_second = 100'000});
  const FetchPtr f = quick(origin.url());
  f->request.timeouts.idle = 100ms;  // a third of what the body takes
  f->request.timeouts.min_rate = 1024;
  run(f);
  EXPECT_FALSE(f->end.error) << f->end.detail;
  EXPECT_EQ(f->size, 30'000u);
}

TEST_F(CurlFaults, ResetBeforeTheHead) {
  for (const Fault fault : {Fault::reset_before_head, Fault::reset_after_request}) {
    const FetchPtr f = play({.fault = fault});
    EXPECT_EQ(f->end.error, Errc::reset) << f->end.detail;
    EXPECT_EQ(f->heads, 0);
    EXPECT_EQ(f->end.requests, 1);
    EXPECT_EQ(f->end.connections, 1);
  }
}

TEST_F(CurlFaults, ResetWhenTheHeadIsCutInTheMiddle) {
  for (const std::uint64_t cut_at : {1u, 10u, 17u, 25u, 36u}) {
    const FetchPtr f = play({.body = "x", .fault = Fault::cut_head_at, .cut_at = cut_at});
    EXPECT_EQ(f->end.error, Errc::reset) << cut_at << " " << f->end.detail;
    EXPECT_EQ(f->heads, 0);
  }
}

TEST_F(CurlFaults, TruncatedWhenTheBodyEndsEarly) {
  for (const Framing framing : {Framing::length, Framing::chunked}) {
    for (const Fault fault : {Fault::cut_body_at, Fault::reset_body_at, Fault::bad_chunk}) {
      if (fault == Fault::bad_chunk && framing == Framing::length) continue;
      const FetchPtr f =
          play({.generated_size = 1000, .framing = framing, .fault = fault, .cut_at = 10});
      EXPECT_EQ(f->end.error, Errc::truncated) << f->end.detail;
      EXPECT_EQ(f->head.status, 200);
      EXPECT_LE(f->size, 10u);
    }
  }
}

TEST_F(CurlFaults, BadResponseWhenItIsNoHttpOrTheHeadNeverEnds) {
  EXPECT_EQ(play({.fault = Fault::garbage})->end.error, Errc::bad_response);
  EXPECT_EQ(play({.fault = Fault::endless_headers})->end.error, Errc::bad_response);
  EXPECT_EQ(play({.headers = {{"X", std::string(200'000, 'x')}}})->end.error, Errc::bad_response);
  EXPECT_EQ(play({.headers = {{"Content-Length", "7"}}, .body = "x"})->end.error,
            Errc::bad_response);
}

TEST_F(CurlFaults, CancelledAtEveryStage) {
  ScriptedOrigin silent({.fault = Fault::never_answer}), endless({.fault = Fault::endless_body});
  const FetchPtr before = quick(silent.url());
  before->cancel.cancel();
  EXPECT_EQ(run(before)->end.error, Errc::cancelled);
  EXPECT_EQ(silent.requests(), 0u);

  const FetchPtr waiting = quick(silent.url());
  waiting->request.timeouts.first_byte = 1h;
  std::thread other([&] {  // from another thread
    while (silent.requests() == 0) std::this_thread::yield();
    waiting->cancel.cancel();
  });
  EXPECT_EQ(run(waiting)->end.error, Errc::cancelled);
  other.join();

  const FetchPtr receiving = quick(endless.url());
  receiving->seen_head = [&] { receiving->cancel.cancel(); };
  EXPECT_EQ(run(receiving)->end.error, Errc::cancelled);
  while (silent.open_connections() + endless.open_connections() > 0) std::this_thread::yield();
}

TEST_F(CurlFaults, CancelledWhenTheReceiverHasHadEnough) {
  ScriptedOrigin origin({.fault = Fault::endless_body});
  const FetchPtr at_head = quick(origin.url());
  at_head->refuse_head = true;
  EXPECT_EQ(run(at_head)->end.error, Errc::cancelled);
  EXPECT_EQ(at_head->size, 0u);
  const FetchPtr in_body = quick(origin.url());
  in_body->refuse_after = 1_MiB;
  EXPECT_EQ(run(in_body)->end.error, Errc::cancelled);
  while (origin.open_connections() > 0) std::this_thread::yield();
}

TEST_F(CurlFaults, AnExceptionOfTheReceiverEndsTheFetchOnly) {
  ScriptedOrigin origin({.body = "x"});
  const FetchPtr f = quick(origin.url());
  f->seen_head = [] { throw std::runtime_error("receiver"); };
  EXPECT_EQ(run(f)->end.error, Errc::internal);
  EXPECT_EQ(f->end.detail, "receiver");
  EXPECT_FALSE(get(origin)->end.error);
}

// libcurl sends again by itself when a pooled connection breaks before a byte of the answer: for
// the shield that would be a second request that no budget knows of.
TEST_F(CurlFaults, NeverSendsTwiceWhenAPooledConnectionBreaks) {
  int stale = 0;
  for (const Fault fault :
       {Fault::close_idle_connection, Fault::reset_after_request, Fault::reset_before_head}) {
    for (int round = 0; round < 20; ++round) {
      ScriptedOrigin origin({.body = "x"});
      ASSERT_FALSE(get(origin)->end.error);  // now one is pooled
      if (fault == Fault::close_idle_connection) {
        origin.set_default({.body = "x", .fault = fault});
        ASSERT_FALSE(get(origin)->end.error);  // and closed by the origin behind our back
      } else {
        origin.set_default({.fault = fault});
      }
      origin.reset_counts();
      const FetchPtr f = get(origin);
      EXPECT_TRUE(!f->end.error || f->end.error == Errc::stale_connection)
          << name(*f->end.error) << " " << f->end.detail;
      EXPECT_LE(origin.requests(), 1u);
      if (!f->end.error) EXPECT_EQ(origin.requests(), 1u);
      stale += f->end.error ? 1 : 0;
      if (fault != Fault::close_idle_connection) EXPECT_EQ(f->end.error, Errc::stale_connection);
      const FetchPtr again = quick(origin.url());
      again->request.fresh_connection = true;
      run(again);
      if (fault != Fault::close_idle_connection) EXPECT_EQ(again->end.error, Errc::reset);
    }
  }
  EXPECT_GE(stale, 40);
}

}  // namespace
}  // namespace tanggul::curl
