#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace tanggul::http {

// More than these are an attack or a mistake: such a Range is ignored (RFC 9110 14.2).
inline constexpr std::size_t kMostRanges = 32;

// One range as it was asked for, of a representation whose length is not known yet.
struct RangeSpec {
  std::optional<ByteCount> first;  // absent: the last `last` bytes
  std::optional<ByteCount> last;   // absent: to the end
};

// The ranges of a Range field in bytes (RFC 9110 14.1.2); nullopt: to be ignored, as another unit,
// as malformed, or as too many. Positions beyond 64 bits count as the largest.
std::optional<std::vector<RangeSpec>> parse_range(std::string_view value);

// A run of bytes of a representation; never empty.
struct ByteRange {
  ByteCount first = 0, size = 0;
  ByteCount end() const noexcept { return first + size; }
  bool operator==(const ByteRange&) const = default;
};

// What is to be sent of `length` bytes: ascending, those that overlap or touch made one. Empty:
// nothing of what was asked for is there (416).
std::vector<ByteRange> resolve(const std::vector<RangeSpec>& specs, ByteCount length);

// What a 206 says of its one part: "bytes 0-4/10", or "/*" where the length is not known.
struct ContentRange {
  ByteRange range;
  std::optional<ByteCount> complete;
};
// nullopt: another unit, unsatisfied, or contradicts itself.
std::optional<ContentRange> parse_content_range(std::string_view value);

std::string content_range(const ByteRange& range, ByteCount complete);
std::string unsatisfied_range(ByteCount complete);  // of a 416

}  // namespace tanggul::http
