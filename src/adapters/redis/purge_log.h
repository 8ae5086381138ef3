#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "adapters/redis/reply.h"
#include "ports/membership.h"

namespace tanggul::redis {

// "SEQUENCE RULE WHAT", as the log and, after the epoch, the channel carry it.
std::optional<ports::SharedPurge> purge_in(std::string_view text);

// What a node is to be told, given where it stands; nullopt: nothing.
struct PurgeNews {
  ports::PurgePlace place;
  std::vector<ports::SharedPurge> purges;
  bool complete = true;
};
// From an answer of scripts/follow.lua. `more` says that the log holds more than the answer.
std::optional<PurgeNews> news_in(Reply& reply, const ports::PurgePlace& seen, bool& more);
// From a message. `gap` says that it cannot follow what was seen: the log must be asked.
std::optional<PurgeNews> news_in(std::string_view message, const ports::PurgePlace& seen,
                                 bool& gap);

}  // namespace tanggul::redis
