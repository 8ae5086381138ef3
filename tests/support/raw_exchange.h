#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::test {

// Sends bytes that no client would, and gives back all that comes until the peer closes or nothing
// has come for `read_timeout`. Blocks.
std::string raw_exchange(std::uint16_t port, std::string_view bytes, Duration read_timeout);

struct RawAnswer {
  std::string bytes;
  bool closed = false;  // by the peer, within the time-out
};

// Piece by piece, with `between` after each but the last.
RawAnswer raw_exchange(std::uint16_t port, const std::vector<std::string>& pieces, Duration between,
                       Duration read_timeout);

// A port of 127.0.0.1 that nobody listens on at this moment.
std::uint16_t free_port();

bool connectable(std::uint16_t port);

}  // namespace tanggul::test
