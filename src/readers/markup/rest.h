#pragma once

#include <string_view>

#include "readers/markup/block.h"

namespace tanggul::readers {

// Gives the blocks of a reStructuredText document: titles by their under- and overlines (levels in
// the order in which the adornments appear), literal blocks and code directives as code, raw HTML
// as html, all else as paragraphs. Comments are left out; targets, footnotes, field lists,
// substitutions and directives with their options are text. No tables are told apart. Linear.
void scan_rest(std::string_view text, BlockSink& sink);

}  // namespace tanggul::readers
