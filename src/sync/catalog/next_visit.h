#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tanggul/base/clock.h"

namespace tanggul::sync {

// How a visit to a repository ended.
enum class Outcome { changed, unchanged, failed, not_found };
std::string_view name(Outcome outcome);

inline constexpr Duration kShortestRest = 12h;  // between two visits, whatever was found
inline constexpr Duration kAfterChange = 24h;
inline constexpr Duration kLongestRest = 14 * 24h;  // of one that does not change
inline constexpr Duration kAfterFailure = 14 * 24h;
inline constexpr Duration kAfterNotFound = 31 * 24h;

// What is known of a repository's pace.
struct Pace {
  std::int64_t unchanged = 0;  // visits in a row that found nothing new
  std::optional<WallTime> last, next;

  bool operator==(const Pace&) const = default;
};

// When to come again: a day after a change, twice as long each time that nothing has changed; after
// a failure, and where there was nothing, the times that Software Heritage's scheduler has. A visit
// that finds nothing new within kShortestRest of the last, as one that is done twice is, says
// nothing about the pace.
Pace after_visit(const Pace& before, Outcome outcome, WallTime at);

}  // namespace tanggul::sync
