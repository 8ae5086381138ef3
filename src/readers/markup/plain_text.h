#pragma once

#include <string>
#include <string_view>

namespace tanggul::readers {

// Text of HTML or Markdown without entities, each stretch of blanks one space, none at the ends.
std::string plain_text(std::string_view text);

// A table cell or a link's text as it is read: without tags, links and images (which give their
// text), backslash escapes, and the paired marks of emphasis, code and mathematics. By rule and not
// by parsing: "RegNetX_200MF" and "0.84* / 0.65**" stay as they are. At most `most` bytes are read.
std::string markup_text(std::string_view text, std::size_t most = 4096);

}  // namespace tanggul::readers
