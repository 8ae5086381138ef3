#pragma once

#include <string_view>

#include "readers/markup/block.h"

namespace tanggul::readers {

// Gives the paragraphs of a plain text, which empty lines part; the first is the title if it is one
// line. Linear.
void scan_plain(std::string_view text, BlockSink& sink);

}  // namespace tanggul::readers
