#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tanggul::registry::sql {

// What a value from a path or a query is, before it is bound.
enum class Type {
  any,  // whatever the database takes there
  text,
  integer,  // 64 bits, signed
  number,   // decimal, of any length
  boolean,
  uuid,
  date,       // 2024-02-29
  timestamp,  // RFC 3339, the zone may be left out, and the time with it
};

std::string_view name(Type type) noexcept;
// Of the contract's words and the databases' own: integer, bigint, int …; nullopt: none of them.
std::optional<Type> type_of(std::string_view word);

// One of $1, $2, …
struct Parameter {
  std::string name;
  Type type = Type::any;
  bool in_path = false;
  std::optional<std::string> fallback;  // where the query leaves it out
  bool optional = false;                // left out: NULL
};

// Longer values are no parameter's.
inline constexpr std::size_t kLongestValue = 1024;

// Replaces `value` by the one form of those that mean the same, so that they share a key. False: it
// is not of this type, or no text that a database could hold (UTF-8 without NUL).
bool make_canonical(Type type, std::string& value);

}  // namespace tanggul::registry::sql
