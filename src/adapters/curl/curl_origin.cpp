#include "adapters/curl/curl_origin.h"

#include <boost/asio/post.hpp>

#include "adapters/curl/multi_driver.h"
#include "adapters/curl/redirects.h"
#include "adapters/curl/transfer.h"

namespace tanggul::curl {
namespace {

// What fetches share; the last of them, or the origin, ends it.
struct Shared {
  Shared(async::Executor executor, CurlConfig c)
      : config(std::move(c)),
        driver(std::make_shared<MultiDriver>(executor, config.pooled_connections)) {}
  const CurlConfig config;
  const std::shared_ptr<MultiDriver> driver;
};
using SharedPtr = std::shared_ptr<Shared>;

// Until the transfer is done: by itself, by a time-out, or because nobody wants it any more.
Task<void> drive(Transfer& transfer, async::WaiterPtr waiter, ports::Cancellation& cancel) {
  transfer.start();
  while (!transfer.done()) {
    if (cancel.cancelled()) {
      transfer.fail(Errc::cancelled, "given up");
      break;
    }
    transfer.resume_body();
    const MonoTime look_again = transfer.check_timeouts(MonoClock::now());
    if (!transfer.done()) co_await waiter->wait_until(look_again);
  }
  transfer.stop();
  // The request's body may not be touched after the fetch.
  while (transfer.upload() && transfer.upload()->running()) co_await waiter->wait_until(kForever);
}

// The next hop of a redirect; nullopt: the attempt is over, for the reason in `end`.
std::optional<HopRequest> follow(const Transfer& transfer, const std::string& upstream, int hops,
                                 bool public_only, ports::FetchEnd& end) {
  const HopRequest& hop = transfer.hop();
  if (hops >= kMaxRedirects) {
    end.error = Errc::redirect;
    end.detail = "more than 5 redirects";
    return std::nullopt;
  }
  const Result<Hop> to = next_hop(hop.to, *transfer.location());
  if (!to) {
    end.error = Errc::redirect;
    end.detail = "a redirect that may not be followed: " + transfer.location()->substr(0, 200);
    return std::nullopt;
  }
  HopRequest next{.request = hop.request,
                  .to = *to,
                  .headers = hop.headers,
                  .crossed = hop.crossed || to->base != upstream,
                  .may_redirect = true,
                  .public_only = public_only};
  if (next.crossed) {
    next.headers = without_credentials(hop.headers, hop.request->credential_headers);
  }
  return next;
}

void add_up(const Transfer& transfer, ports::FetchEnd& end) {
  end.connections += transfer.connections();
  end.requests += transfer.sent() ? 1 : 0;
  end.error = transfer.error();
  end.detail = transfer.detail();
}

Task<ports::FetchEnd> fetch_all_hops(SharedPtr shared, const ports::OriginRequest& request,
                                     ports::ResponseSink& sink, ports::Cancellation& cancel,
                                     async::WaiterPtr waiter) {
  ports::FetchEnd end;
  const auto upstream = canonical_base(request.base);
  if (!upstream) {
    end.error = Errc::bad_input;
    end.detail = "no http or https URL: " + request.base;
    co_return end;
  }
  const bool follows = request.follow_redirects && !request.body &&
                       (request.method == "GET" || request.method == "HEAD");
  std::optional<HopRequest> hop(HopRequest{.request = &request,
                                           .to = {*upstream, request.target},
                                           .headers = request.headers,
                                           .may_redirect = follows});
  bool upstream_is_internal = false;
  for (int hops = 0; hop; ++hops) {
    Transfer transfer(shared->driver, shared->config, std::move(*hop), sink, waiter);
    hop.reset();
    co_await drive(transfer, waiter, cancel);
    add_up(transfer, end);
    if (hops == 0) upstream_is_internal = transfer.connected_internally();
    if (end.error || !transfer.location()) break;
    hop = follow(transfer, *upstream, hops, !upstream_is_internal, end);
  }
  co_return end;
}

// The Cancellation may outlive the loop, the waiter may not: it is taken back on every way out,
// that of a frame destroyed in mid-fetch too.
class Bound {
 public:
  Bound(ports::Cancellation& cancel, const async::WaiterPtr& waiter) : cancel_(cancel) {
    cancel_.bind(waiter);
  }
  ~Bound() { cancel_.bind(nullptr); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  ports::Cancellation& cancel_;
};

Task<ports::FetchEnd> fetch_bound(SharedPtr shared, const ports::OriginRequest& request,
                                  ports::ResponseSink& sink, ports::Cancellation& cancel) {
  // Whoever asks may be inside a callback of libcurl, which cannot be entered twice.
  co_await async::asio::post(shared->driver->executor(), async::use_task);
  const async::WaiterPtr waiter = async::Waiter::make(shared->driver->executor());
  const Bound bound(cancel, waiter);
  co_return co_await fetch_all_hops(shared, request, sink, cancel, waiter);
}

class CurlOrigin : public ports::Origin {
 public:
  explicit CurlOrigin(SharedPtr shared) : shared_(std::move(shared)) {}
  // No coroutine itself, so that a fetch holds no reference to this object.
  Task<ports::FetchEnd> fetch(const ports::OriginRequest& request, ports::ResponseSink& sink,
                              ports::Cancellation& cancel) override {
    return fetch_bound(shared_, request, sink, cancel);
  }

 private:
  SharedPtr shared_;
};

}  // namespace

std::unique_ptr<ports::Origin> make_curl_origin(async::Executor executor, CurlConfig config) {
  return std::make_unique<CurlOrigin>(std::make_shared<Shared>(executor, std::move(config)));
}

}  // namespace tanggul::curl
