#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tanggul::redis {

// The names of all that is kept in Redis. What one script touches lies in one slot of a cluster:
// what stands between { and } decides which.
class Keys {
 public:
  explicit Keys(std::string prefix, int database = 0)
      : prefix_(std::move(prefix)), database_(database) {}

  std::string lease(std::string_view id) const { return of(id, ":l"); }
  std::string entry(std::string_view id) const { return of(id, ":e"); }
  std::string failure(std::string_view id) const { return of(id, ":n"); }
  std::string holders(std::string_view id) const { return of(id, ":w"); }

  // breaker, rate, places, day, pause, waiting
  std::string limit(std::string_view origin, std::string_view what) const;
  std::string credential_pause(std::string_view origin, std::string_view credential) const;

  std::string memory(std::string_view what) const { return of("memory", what); }
  std::string purges(std::string_view what) const { return of("purges", what); }
  std::string nodes() const { return of("nodes", ""); }
  std::string probe(std::string_view node) const { return of("probe", node); }

  // wake, places, breaker, pause, purge. Channels are of the server, not of a database.
  std::string channel(std::string_view what) const;

 private:
  std::string of(std::string_view tag, std::string_view what) const;
  std::string prefix_;
  int database_;
};

// A version or a fence: so many digits, so that as text it compares as a number does.
inline constexpr std::size_t kVersionDigits = 20;
std::string padded(std::uint64_t version);
std::uint64_t version_of(std::string_view text);  // of its first digits; 0: it has none

}  // namespace tanggul::redis
