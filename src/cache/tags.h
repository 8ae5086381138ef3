#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tanggul/http/message.h"

namespace tanggul::cache {

// The tags that a response is stored under: members of Cache-Tag, apart by commas, and of
// Surrogate-Key and xkey, apart by white space, as the CDNs that made them up have it. Compared
// without case. Hashed (SHA-256, cut), sorted, each once: who purges by tag may hit a little more
// than was meant, never less.
std::vector<std::uint64_t> tags_of(const http::Headers& headers);

std::uint64_t tag_hash(std::string_view tag);

}  // namespace tanggul::cache
