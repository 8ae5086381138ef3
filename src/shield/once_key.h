#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tanggul::shield {

inline constexpr std::string_view kOncePath = "/.tanggul/once/";
inline constexpr std::string_view kOncePurge = "once:";  // before a KEY, where URLs are purged

// Whether KEY may name what is built once: 1 to 1024 bytes of UTF-8 without control characters.
bool valid_once_key(std::string_view key) noexcept;

// "/.tanggul/once/KEY[/VERB]" taken apart, KEY decoded and valid; nullopt: it is none. The verb
// points into `target`.
struct OncePath {
  std::string key;
  std::string_view verb;  // empty: the file itself
};
std::optional<OncePath> read_once_path(std::string_view target);
std::string once_path(std::string_view key, std::string_view verb = {});

// Where its file stands in the cache: below no origin, since none can have that name.
std::string once_cache_key(std::string_view key);
// What the nodes of a cluster call its lease: 32 hex digits.
std::string once_id(std::string_view key);

}  // namespace tanggul::shield
