#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace tanggul::git {

struct TreeEntry {
  enum class Kind { file, link, other };  // other: a submodule, and whatever else there may be
  Kind kind = Kind::other;
  std::string_view id;  // of its object, hexadecimal
  std::string_view path;
};

bool is_object_id(std::string_view text) noexcept;  // SHA-1 or SHA-256

// What `ls-tree -r -z` writes, in pieces that end anywhere. A record that is none, or longer than
// 8 KiB, is left out.
class TreeRecords {
 public:
  using Each = std::function<bool(const TreeEntry&)>;
  // False: `each` wants no more.
  bool take(std::string_view bytes, const Each& each);
  std::size_t left_out() const noexcept { return left_out_; }

 private:
  bool one(std::string_view record, const Each& each);

  std::string pending_;  // the beginning of a record
  bool too_long_ = false;
  std::size_t left_out_ = 0;
};

}  // namespace tanggul::git
