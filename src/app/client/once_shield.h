#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "app/client/http_transfer.h"

namespace tanggul::app {

// The lease of a build, as the shield gave it.
struct OnceLease {
  std::string token;
  std::string fence;
  Duration ttl = std::chrono::seconds(30);
};

// What the shield says of a key.
struct OnceClaim {
  enum class State {
    build,     // it is ours to build
    building,  // somebody else does, `by`
    ready,     // the file is there
    failed,    // it was tried, `by`, and ended with `status`
    refused,   // we may not ask that; `why`
    away,      // nobody answers who could say; `why`
  };
  State state = State::away;
  OnceLease lease;
  std::string by, why;
  int status = 1;
};

// The questions about one key, over the wire (see shield/once.h). One thread's.
class OnceShield {
 public:
  OnceShield(Url via, std::string key, std::string token);

  boost::asio::awaitable<OnceClaim> claim(Duration wait);
  // The status of the answer; 0: none.
  boost::asio::awaitable<int> renew(OnceLease lease);
  boost::asio::awaitable<int> fail(OnceLease lease, int status);
  boost::asio::awaitable<int> release(OnceLease lease);
  boost::asio::awaitable<Transferred> upload(OnceLease lease, int file, ByteCount size,
                                             std::string sha256);
  boost::asio::awaitable<Transferred> download(std::function<bool(std::string_view)> sink);

  const Url& url() const { return via_; }
  const std::string& who() const { return who_; }  // HOST:PID

 private:
  Transfer request(std::string method, std::string_view verb) const;
  boost::asio::awaitable<int> post(OnceLease lease, std::string verb, std::string body);

  const Url via_;
  const std::string key_, token_, who_;
};

// The `detail` and `title` of a problem document, fit for a terminal.
std::string told_by(const Transferred& answer);

}  // namespace tanggul::app
