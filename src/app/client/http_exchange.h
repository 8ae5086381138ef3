#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "app/config/url.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

struct HttpAsk {
  std::string method = "GET";
  std::string target;  // below the URL's path
  std::string token;   // of the admin port; empty: none
  std::string json;    // the body; empty: none
};

struct HttpAnswer {
  int status = 0;     // 0: no answer
  std::string body;   // at most 4 MiB
  std::string error;  // why there is none, in the system's words
};

// One request over plain HTTP to a service of ours, which frames its answers by Content-Length.
// Blocks until the answer is there or `limit` has passed.
HttpAnswer http_exchange(const Url& url, const HttpAsk& ask, Duration limit);

// The same for a program with a loop of its own.
boost::asio::awaitable<HttpAnswer> http_ask(Url url, HttpAsk ask, Duration limit);

}  // namespace tanggul::app
