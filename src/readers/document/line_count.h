#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tanggul::readers {

// The line of a place, counted on from the place before.
class LineCount {
 public:
  LineCount(std::string_view text, std::uint32_t first, std::size_t from = 0)
      : text_(text), line_(first), counted_(from) {}
  std::uint32_t at(std::size_t place) {
    if (place < counted_) return line_;
    line_ += static_cast<std::uint32_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                   text_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    counted_ = place;
    return line_;
  }

 private:
  std::string_view text_;
  std::uint32_t line_;
  std::size_t counted_;
};

}  // namespace tanggul::readers
