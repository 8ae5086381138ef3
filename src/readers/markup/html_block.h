#pragma once

#include <string_view>

namespace tanggul::readers {

// The seven ways in which a line begins an HTML block (CommonMark 0.30, 4.6); 0: it begins none.
// `line` begins at its first character that is not blank. The seventh cannot end a paragraph.
int html_block_kind(std::string_view line, bool in_paragraph);

// Is this the last line of a block of that kind? Of the kinds 6 and 7 an empty line is, and not
// part of it.
bool ends_html_block(int kind, std::string_view line);

}  // namespace tanggul::readers
