#pragma once

#include <string_view>

namespace tanggul::bench {

// Parses a document as GitHub's own parser does, tables and autolinks included, into its tree.
void parse_with_cmark_gfm(std::string_view text);
// The same by md4c, events to nowhere.
void parse_with_md4c(std::string_view text);

}  // namespace tanggul::bench
