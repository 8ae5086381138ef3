#pragma once

#include <string>
#include <string_view>

#include "readers/markup/inline.h"

namespace tanggul::readers {

// What a reader sees around a place of a paragraph or of raw HTML: the sentence before it, and what
// it is called if it is a link (Markdown's, HTML's, reST's). Text without markup, each bounded.
struct Surroundings {
  std::string before, label;  // of a picture without a text: the name of its file
  bool badge = false;         // what is linked is a badge
  bool opens = false;         // the link begins the paragraph
  std::size_t end = 0;        // of the link
};
// `since`: where the mention of another paper ended, which what stands before it is said of; unless
// only "and" parts the two.
Surroundings around(std::string_view text, std::size_t begin, std::size_t end,
                    const std::vector<Span>& spans, std::size_t since = 0);

// The line of `text` that `at` is in, trimmed and cut to 160 bytes around it, whole characters.
std::string line_around(std::string_view text, std::size_t at);

}  // namespace tanggul::readers
