#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "async/waiter.h"
#include "base/bytes.h"
#include "base/result.h"
#include "tanggul/base/clock.h"
#include "tanggul/http/message.h"

namespace tanggul::ports {

struct OriginTimeouts {
  Duration connect = 2s;
  Duration first_byte = 5s;   // from the request being sent to the response head
  Duration idle = 30s;        // without a byte, or below min_rate over it
  ByteCount min_rate = 1024;  // bytes a second
};

struct OriginTls {
  std::string ca;    // file of PEM certificates; empty: the system's
  std::string cert;  // client certificate and key, PEM files; empty: none
  std::string key;
};

// The client's body on its way to the origin, pulled when the origin can take more.
class RequestBody {
 public:
  virtual ~RequestBody() = default;
  // The length that the client announced; nullopt: chunked.
  virtual std::optional<ByteCount> length() const = 0;
  // At most `size` bytes into `to`; 0 at the end. Errc::bad_input when the framing is broken,
  // Errc::cancelled when the client has gone, Errc::too_large over max_body.
  virtual Task<Result<std::size_t>> read_some(char* to, std::size_t size) = 0;
  // Whether any byte has been handed out: such a request cannot be sent again.
  virtual bool touched() const = 0;
};

// One attempt, sent once and never repeated behind the caller's back.
struct OriginRequest {
  std::string method = "GET";
  std::string base;    // scheme://host[:port] of the upstream, no path
  std::string target;  // raw path and query, sent as it is
  http::Headers headers;
  RequestBody* body = nullptr;  // outlives the call
  OriginTimeouts timeouts;
  // From then on nobody waits for the answer: who cannot finish by then ends with
  // first_byte_timeout. kForever: an HTTP exchange goes by its timeouts.
  MonoTime deadline = kForever;
  OriginTls tls;
  bool decode = false;            // ask for gzip and hand out the decoded bytes
  bool fresh_connection = false;  // do not reuse a pooled one
  bool http2 = false;
  bool follow_redirects = true;  // GET and HEAD only, at most 5
  // Never sent to another scheme, host or port than that of `base`, beside Authorization and
  // Cookie.
  std::vector<std::string> credential_headers;
};

// How the end of the body is known.
enum class BodyFraming { none, length, chunked, until_close };

// Receives a response on the caller's own thread, in order: on_interim for each interim response,
// on_head once, then on_data as bytes arrive. Returning false ends the attempt with
// Errc::cancelled. While ready() says no, an origin that can be made to wait is: it is asked again
// when the attempt's Cancellation is nudged, and once a second.
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  virtual void on_interim(http::ResponseHead) {}  // 102 and up: 100 and 101 are the hop's own
  virtual bool on_head(http::ResponseHead head, BodyFraming framing,
                       std::optional<ByteCount> length) = 0;
  virtual bool on_data(std::string_view bytes) = 0;
  virtual bool ready() { return true; }
};

// Lets an attempt be given up from any thread.
class Cancellation {
 public:
  void cancel() noexcept;
  bool cancelled() const noexcept { return cancelled_.load(); }
  void nudge() noexcept;  // has the attempt look around; cancels nothing
  // The one waiter to wake; set by the attempt, on its thread, before it waits.
  void bind(async::WaiterPtr waiter);

 private:
  std::atomic<bool> cancelled_{false};
  std::atomic<std::shared_ptr<async::Waiter>> waiter_;
};

inline void Cancellation::cancel() noexcept {
  cancelled_.store(true);
  if (const auto w = waiter_.load()) w->wake();
}
inline void Cancellation::nudge() noexcept {
  if (const auto w = waiter_.load()) w->wake();
}
inline void Cancellation::bind(async::WaiterPtr waiter) {
  const auto w = std::move(waiter);
  waiter_.store(w);
  if (cancelled_.load() && w) w->wake();
}

struct FetchEnd {
  // refused connect_timeout first_byte_timeout stalled reset truncated bad_response cancelled
  // redirect forbidden_address stale_connection bad_input; nullopt: the response is whole.
  std::optional<Errc> error;
  std::string detail;   // one line for the log: the library's own words
  int connections = 0;  // opened by this attempt
  int requests = 0;     // sent on the wire: 1, plus one for each redirect followed
};

// A service behind the shield. One object a thread; fetch() may run many times at once on it.
class Origin {
 public:
  virtual ~Origin() = default;
  virtual Task<FetchEnd> fetch(const OriginRequest& request, ResponseSink& sink,
                               Cancellation& cancel) = 0;
};

}  // namespace tanggul::ports
