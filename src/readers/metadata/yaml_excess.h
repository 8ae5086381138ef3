#pragma once

#include <cstddef>
#include <string_view>

namespace tanggul::readers {

// The YAML parser looks ahead before it reports anything: to the end of a line that begins in
// brackets or quotes, and over lines that are no YAML in search of one that is. Each token that it
// keeps meanwhile is some 200 bytes and 1.2 µs, so its events come too late to bound it. These are
// counted before, wherever they stand, in scalars too: no text that people write has so many. Both
// are linear.

// Too deep, too many brackets and commas in all, or too many tokens on a line: what for people;
// null if it is not.
const char* excess_of_tokens(std::string_view text, std::size_t depth);

// How much of the text is to be parsed: up to the 1000th line that begins at its first column and
// can be no part of a map or list, behind which the parser would find its fault anyway.
std::size_t worth_parsing(std::string_view text);

}  // namespace tanggul::readers
