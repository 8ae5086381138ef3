#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::test {

struct RedisReply {
  char type = '_';   // the first byte of RESP: + - : $ *; '_' for nil and for no answer
  std::string text;  // of a string, a status, an error, an integer
  std::vector<RedisReply> items;

  bool nil() const { return type == '_'; }
  bool error() const { return type == '-'; }
  std::int64_t integer() const { return std::stoll(text.empty() ? "0" : text); }
};

// One command on a connection of its own to 127.0.0.1, for assertions. Blocks; throws where no
// whole answer comes within `at_most`.
RedisReply redis_command(std::uint16_t port, const std::vector<std::string>& args,
                         const std::vector<std::string>& auth = {},
                         Duration at_most = std::chrono::seconds(10));

}  // namespace tanggul::test
