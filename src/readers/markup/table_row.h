#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tanggul::readers {

constexpr std::size_t kMostColumns = 128;

// The cells of a line of a GFM table: between pipes without a backslash before them (an even number
// of them escapes too), inside of code spans as well; the outer pipes may be left out. Their text
// is as written, trimmed. At most `most` cells.
void split_row(std::string_view line, std::size_t most, std::vector<std::string_view>& cells);

// How many columns the delimiter row has that this line is ("| :-- | -: |"); 0: it is none.
std::size_t delimiter_columns(std::string_view line);

}  // namespace tanggul::readers
