#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::redis {

// What Redis answered, in RESP2.
struct Reply {
  enum class Kind { nil, string, status, error, integer, array };
  Kind kind = Kind::nil;
  std::string text;  // of a string, a status, an error; may hold any byte
  std::int64_t number = 0;
  std::vector<Reply> items;

  bool is(Kind k) const { return kind == k; }
  bool error() const { return kind == Kind::error; }
  // Of an array; a nil where there is none of that place, so that a strange server does no harm.
  Reply& at(std::size_t i);
  std::int64_t integer(std::size_t i) { return at(i).number; }
};

}  // namespace tanggul::redis
