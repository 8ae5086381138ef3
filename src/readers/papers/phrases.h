#pragma once

#include <string_view>

namespace tanggul::readers {

// What a sentence or a heading says about the papers that it names. All texts are taken in lower
// case; English, and the words for citing in Chinese, Japanese and Korean.

// "our paper", "official implementation of", "code for": what follows is the repository's own.
bool claims(std::string_view before);
// "proposed in", "described in the paper": it is, where the text is about the repository itself.
bool introduces(std::string_view before);
// "based on", "unlike": what was claimed before is not said of what follows.
bool voids(std::string_view before);
// "please cite", "if you use this …, cite".
bool asks_to_cite(std::string_view text);
// Quickly, of text in any case: if not, it does not ask.
bool may_ask_to_cite(std::string_view text);
// "the following papers": the request is for each of them.
bool asks_for_several(std::string_view text);
// "Citation", "How to cite", "Attribution".
bool is_citation_heading(std::string_view heading);
// "Reference", "Papers": BibTeX that stands under it is asked to be cited, links are just links.
bool is_reference_heading(std::string_view heading);
// "Related work", "Acknowledgements", "References", "Other projects".
bool is_others_heading(std::string_view heading);
// "Paper", "arXiv", "[PDF]", "Technical report": a link's text that is no title.
bool is_paper_label(std::string_view label);
// Does `name` call the document by its title, or by the name that the title begins with?
bool names_title(std::string_view name, std::string_view title);

}  // namespace tanggul::readers
