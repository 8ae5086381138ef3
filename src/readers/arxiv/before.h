#pragma once

#include <array>
#include <string_view>

namespace tanggul::readers::arxiv {

// What stands before a place of a text, as a reader of the rendered page would see it: in lower
// case, percent-encoding, entities and backslash escapes undone, invisible characters left out,
// every space a ' ' and every dash a '-', all other characters beyond ASCII a '\x01'. Ends at an
// empty line and after `most` characters, 200 if there is nothing to ask for fewer.
class Before {
 public:
  Before(std::string_view text, std::size_t place, std::size_t most = 200);
  std::string_view text() const { return {&buffer_[start_], buffer_.size() - start_}; }

 private:
  std::array<char, 200> buffer_;
  std::size_t start_ = 200;
};

}  // namespace tanggul::readers::arxiv
