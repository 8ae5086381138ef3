#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "app/config/url.h"

namespace tanggul::app {

struct StreamEnd {
  int status = 0;     // of the answer; 0: there was none
  std::string body;   // of an answer that is no stream, at most 64 KiB
  std::string error;  // why it ended, in the system's words; empty: in good order
};

// Reads the server-sent events at `url` (http or https) until the server ends them or has been
// silent for 45 s: `each` gets the data of every event. Speaks HTTP/1.0, whose bodies end with the
// connection.
boost::asio::awaitable<StreamEnd> read_events(Url url, std::string target,
                                              std::function<void(std::string_view data)> each);

}  // namespace tanggul::app
