#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "cache/entry.h"

namespace tanggul::cache {

// How an entry is written to disk: everything but its bodies, which follow by themselves. Settled:
// another layout gets another version. Integers are little-endian, `text` is a u32 length and that
// many bytes, times are i64 nanoseconds (since 1970 by the calendar; lengths of time as they are).
//
//   0  char[8]  "tanggul\n"
//   8  u32      version, 2
//  12  u32      size of what follows the checksum
//  16  u8[32]   SHA-256 of the bytes 0…15 and of all that follows here
//  48  text     key
//      u8       kind: 0 response, 1 vary, 2 solo
//      u8       flags: 1 negative, 2 revalidatable, 4 no-cache, 8 must-revalidate
//      u16      status
//      i64 × 6  stored at, birth, expires; stale-while-revalidate, stale-if-error, cost
//      u64      generation
//      text     the origin's ETag
//      u32      number of tags, each: u64
//      u32      number of headers, each: text name, text value
//      u32      number of names that vary, each: text
//      u32      number of digests, each: text file, text url, text integrity, text sha1
//      u32      number of forms, each: text encoding, text etag, u8 has a body, u64 its length,
//               text its checksum: SHA-256, 32 bytes, or none known
inline constexpr std::uint32_t kEntryVersion = 2;
inline constexpr std::size_t kEntryPrefix = 48;  // up to and with the checksum
inline constexpr ByteCount kLongestEntry = 256_MiB;

struct StoredBody {
  bool present = false;  // false: the answer to a HEAD, which has none, not even of length 0
  ByteCount length = 0;
  std::string sha256;  // raw; empty: not known
};

struct DecodedEntry {
  std::string key;
  Entry entry;  // forms without bodies and heads: put those in, then encode_heads()
  std::vector<StoredBody> bodies;  // one for each form
};

// `file_checksums`: one for each form, of which those of bodies in files are read; the others are
// counted here. Empty: none known. Failures live in memory only and, like what is over
// kLongestEntry, give an empty string.
std::string encode(const Entry& entry, std::string_view key,
                   std::span<const std::string> file_checksums = {});

// Exactly what encode() wrote, and nothing that could harm whoever uses it: counts and lengths fit,
// times can be added, no line break in a header. Else bad_input; unknown_version() for a whole
// entry of ours that another version wrote. Memory is bounded by the input.
Result<DecodedEntry> decode(std::string_view bytes);
boost::system::error_code unknown_version() noexcept;

// How long the whole is whose first kEntryPrefix bytes these are, in every version. bad_input:
// none.
Result<std::size_t> encoded_size(std::string_view prefix);

}  // namespace tanggul::cache
