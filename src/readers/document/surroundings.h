#pragma once

#include <string>
#include <string_view>

#include "readers/markup/inline.h"

namespace tanggul::readers {

// What a reader sees around a place of a paragraph or of raw HTML: the sentence before it, and what
// it is called if it is a link (Markdown's, HTML's, reST's). Text without markup, each bounded.
struct Surroundings {
  std::string before, label;
  bool alone = false;  // the link is all that the paragraph has
};
Surroundings around(std::string_view text, std::size_t begin, std::size_t end,
                    const std::vector<Span>& spans);

// The line of `text` that `at` is in, trimmed and cut to 160 bytes around it, whole characters.
std::string line_around(std::string_view text, std::size_t at);

}  // namespace tanggul::readers
