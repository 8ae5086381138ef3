#pragma once

#include <string>
#include <string_view>

#include "shield/fetch.h"
#include "shield/shield.h"

namespace tanggul::shield {

// What is held of a representation that is too large to be fetched whole stands beside its key.
std::string part_key(std::string_view key);

// Notes in the entry of a 206 which part of the representation it is; false: what it says of itself
// is not so, and nothing may be made of it.
bool tell_part(cache::Entry& entry);

// A part that went to a file on its way is read back, if it is at most `most` bytes. Blocks.
void take_into_memory(cache::Entry& entry, ByteCount most);

// Keeps the part that a forwarded Range has brought. With what is held of the same representation,
// proven by the same strong validator and length, it becomes one part if there is no gap between
// them (RFC 9111 3.4), and the whole if nothing is missing. In memory only. Tells where it went.
std::string_view publish_part(Shield& shield, const FetchJob& job,
                              const std::shared_ptr<cache::Entry>& entry);

// RFC 9111 4.3.5: a HEAD's 200 freshens the stored response that it agrees with, and makes one that
// it contradicts stale. `lifetime`: as if a GET had been answered so.
void tell_by_head(Shield& shield, const FetchJob& job, const http::Headers& headers,
                  const policy::Lifetime& lifetime, WallTime sent_at, Duration cost);

}  // namespace tanggul::shield
