#pragma once

#include <string_view>

#include "readers/markup/block.h"

namespace tanggul::readers {

// Gives the blocks of a Markdown document as GitHub reads it: CommonMark 0.30's block structure
// with GFM 0.29's tables, whose header may be the last line of a paragraph. Nothing inside of a
// line is interpreted. Linear, and holds no more than a block's lines; quotes and lists nested
// deeper than 64 are read as text, tables of more than 128 columns as paragraphs. `text` has '\n'
// line ends; `first_line` is the number of its first line.
void scan_markdown(std::string_view text, BlockSink& sink, std::uint32_t first_line = 1);

}  // namespace tanggul::readers
