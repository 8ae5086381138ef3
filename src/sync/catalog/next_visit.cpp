#include "sync/catalog/next_visit.h"

#include <algorithm>

namespace tanggul::sync {
namespace {

constexpr std::int64_t kMostDoublings = 10;  // far past kLongestRest

Duration rest(Outcome outcome, std::int64_t unchanged) {
  switch (outcome) {
    case Outcome::changed:
      return kAfterChange;
    case Outcome::unchanged: {
      const auto doublings = std::clamp<std::int64_t>(unchanged - 1, 0, kMostDoublings);
      return std::min(kLongestRest, kAfterChange * (std::int64_t{1} << doublings));
    }
    case Outcome::failed:
      return kAfterFailure;
    case Outcome::not_found:
      return kAfterNotFound;
  }
  return kLongestRest;
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::changed:
      return "changed";
    case Outcome::unchanged:
      return "unchanged";
    case Outcome::failed:
      return "failed";
    case Outcome::not_found:
      return "not_found";
  }
  return "";
}

Pace after_visit(const Pace& before, Outcome outcome, WallTime at) {
  Pace after = before;
  after.last = before.last ? std::max(*before.last, at) : at;
  // Sooner than what is known would be, it tells of something: it had failed, or was not there.
  const Duration usual = rest(Outcome::unchanged, before.unchanged + 1);
  if (outcome == Outcome::unchanged && before.next && before.last &&
      at - *before.last < kShortestRest && *before.next <= at + usual)
    return after;
  after.unchanged = outcome == Outcome::unchanged ? before.unchanged + 1 : 0;
  after.next = at + std::max(kShortestRest, rest(outcome, after.unchanged));
  return after;
}

}  // namespace tanggul::sync
