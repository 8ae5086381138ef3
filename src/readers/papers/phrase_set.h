#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace tanggul::readers {

// Phrases of which a text may hold any: one pass over the text, however many there are. Of texts
// in lower case; or, where it is said, in any case of ASCII letters. Immutable: any thread may ask.
class PhraseSet {
 public:
  // Parted by '|'; a literal, which outlives the set.
  explicit PhraseSet(std::string_view phrases);

  bool in(std::string_view text) const;
  bool in_any_case(std::string_view text) const;

 private:
  std::array<std::vector<std::string_view>, 256> by_first_;
  std::array<bool, 256> begins_{};
};

}  // namespace tanggul::readers
