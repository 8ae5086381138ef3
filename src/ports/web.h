#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/failure.h"
#include "tanggul/base/clock.h"

namespace tanggul::ports {

struct WebRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  ByteCount limit = 64_KiB;          // of the body; the rest is not waited for
  MonoTime until = kForever;
};

struct WebAnswer {
  int status = 0;
  std::string url;      // that answered, after redirects
  std::string address;  // that it was had from
  std::string content_type;
  std::optional<Duration> retry_after;
  bool moved = false;  // every redirect on the way said that it is for good
  std::string body;    // its first bytes
  bool whole = true;
};

// Places that strangers name, asked without credentials of any kind. Only https, and no address of
// this host or its neighbourhood, at any redirect: forbidden_address. A host that is trusted may be
// reached by http and wherever it is, if it is the one that was named and not where another one
// led. Calls block. One thread at a time.
// Fails with forbidden_address, redirect (too many, or to what is no such URL), refused,
// connect_timeout, stalled (below 1 KB/s for 30 s), reset, deadline (until is over) or
// bad_response.
class Web {
 public:
  virtual ~Web() = default;
  virtual Expected<WebAnswer> get(const WebRequest& request) = 0;
};

}  // namespace tanggul::ports
