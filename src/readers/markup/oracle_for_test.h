#pragma once

#include <functional>

#include "readers/markup/outline_for_test.h"

namespace tanggul::readers {

// Gives the texts of paragraphs as another reader reads them.
using ReadParagraphs = std::function<std::vector<std::string>(const std::string& document)>;

// Each text of the outline becomes a paragraph of its own of one document, and is replaced by what
// `read` makes of it. A word goes before each, so that none begins anything else.
Outline read_texts(Outline ours, std::string_view document, const ReadParagraphs& read);

// Blanks folded, none at the ends.
std::string folded(std::string_view text);

}  // namespace tanggul::readers
