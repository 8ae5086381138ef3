#pragma once

#include <optional>
#include <string_view>

namespace tanggul::readers::arxiv {

// How an identifier stood in the text.
enum class Form { link, badge, text, doi };

// What makes a number an identifier is what stands before it; all are asked of Before's text.

// Of a number that ends at `end` of the text. None: nothing there speaks of arXiv.
std::optional<Form> form_by(std::string_view before, std::string_view text, std::size_t end);

// Is "arXiv" what all this leads back to?
bool after_arxiv(std::string_view before);

// In the URL of a badge.
bool in_badge(std::string_view before);

// Inside of a DOI that is not arXiv's: DOIs are the main source of numbers that only look like
// identifiers (arxiv-base, identifier).
bool in_other_doi(std::string_view before);

}  // namespace tanggul::readers::arxiv
