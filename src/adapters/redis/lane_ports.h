#pragma once

#include <memory>
#include <string>

#include "adapters/redis/lane.h"
#include "ports/leases.h"
#include "ports/shared_limits.h"
#include "ports/shared_store.h"

namespace tanggul::redis {

std::unique_ptr<ports::Leases> make_leases(std::shared_ptr<Lane> lane);
std::unique_ptr<ports::SharedStore> make_store(std::shared_ptr<Lane> lane);
// Renews the places that were given through it for as long as the lane is open.
std::unique_ptr<ports::SharedLimits> make_limits(std::shared_ptr<Lane> lane);

// How long a lease that is to be given back may still matter.
inline constexpr Duration kLongestLease = 30s;

// Gives a lease back if it is still the token's, now or once Redis can be reached.
Chore giving_back(const Keys& keys, const std::string& id, const std::string& token,
                  Duration worth);
void give_back(Lane& lane, const std::string& id, const std::string& token, Duration worth);
// Entry, failure and holders, from that place of an answer on.
ports::SharedCopies copies_in(Reply& reply, std::size_t first);
// As a lease holds it, after its fence: the length in 8 digits, and the token.
std::string tagged(const std::string& token);
std::string in_ms(Duration d);  // rounded up, at least 1

}  // namespace tanggul::redis
