#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tanggul::readers {

// Phrases of which a text may hold any: one pass over the text, however many there are. Of texts
// in lower case; or, where it is said, in any case of ASCII letters. Immutable: any thread may ask.
class PhraseSet {
 public:
  // Parted by '|', each of four bytes or more; a literal, which outlives the set.
  explicit PhraseSet(std::string_view phrases);

  bool in(std::string_view text) const;
  bool in_any_case(std::string_view text) const;

 private:
  template <class Same>
  bool any_in(std::string_view text, Same same) const;
  template <class Same>
  bool any_at(std::string_view rest, Same same) const;

  std::array<std::vector<std::string_view>, 256> by_first_;
  // Hashes of each phrase's bytes 0 to 2 and 1 to 3: every other place of a text is looked at, and
  // few of them pass.
  std::bitset<16384> beginnings_;
};

}  // namespace tanggul::readers
