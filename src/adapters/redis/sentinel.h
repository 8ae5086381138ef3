#pragma once

#include <optional>

#include "adapters/redis/redis_cluster.h"
#include "adapters/redis/reply.h"

namespace tanggul::redis {

// What a sentinel says of its master: nullopt, it knows none.
inline std::optional<RedisAddress::Host> master_in(Reply& reply) {
  if (!reply.is(Reply::Kind::array) || reply.items.size() != 2) return std::nullopt;
  return RedisAddress::Host{reply.at(0).text, reply.at(1).text};
}

// In the answer to ROLE.
inline bool is_master(Reply& reply) { return reply.at(0).text == "master"; }

}  // namespace tanggul::redis
