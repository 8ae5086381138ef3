#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/url.h"
#include "base/bytes.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

// A request that may bring a file and be answered with one.
struct Transfer {
  std::string method = "GET";
  std::string target;  // below the URL's path
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // or, where there is one:
  int file = -1;     // from its beginning, `file_size` bytes
  ByteCount file_size = 0;
  // Takes the body of a 200, piece by piece; false: cannot. Without it, and of other answers, the
  // body is kept, up to 64 KiB.
  std::function<bool(std::string_view)> sink;
  Duration quiet = std::chrono::seconds(30);  // without a byte in either direction
};

struct Transferred {
  int status = 0;  // 0: no answer
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string error;  // why there is none, or why it is not whole; in the system's words

  std::string_view header(std::string_view name) const;  // empty: none
};

// Over http or https, one connection. Its body has come whole when `error` is empty.
boost::asio::awaitable<Transferred> transfer(Url url, Transfer what);

}  // namespace tanggul::app
