#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "readers/arxiv/id.h"

namespace tanggul::readers {

// In what kind of place an identifier was read.
enum class EvidenceKind {
  link,
  badge,
  text,
  doi,
  bibtex,
  code,
  front_matter,
  model_index,
  citation,  // CITATION.cff
  codemeta,
};
std::string_view name(EvidenceKind kind);

// What a mention says about whose paper it is. Each is one reason, whatever number of times.
enum class Sign : std::uint32_t {
  declared = 1 << 0,            // a citation file calls it the work's own
  in_title = 1 << 1,            // the document's title links it
  labelled_above = 1 << 2,      // "Paper", "arXiv", a badge, before the text begins
  ours = 1 << 3,                // "our paper", "official implementation of"
  to_be_cited = 1 << 4,         // a request to cite stands before it
  bibtex_to_be_cited = 1 << 5,  // it is the BibTeX entry that a request asks for
  bibtex = 1 << 6,              // it has a BibTeX entry in a README
  introduced_above = 1 << 7,    // "proposed in the paper …" before the second heading
  named_as_title = 1 << 8,      // what names it there is the document's title
  first_above = 1 << 9,         // it stands before the second heading
  among_others = 1 << 10,       // under "related work", "references", "other projects"
  cited = 1 << 11,              // a file lists it as a reference of the work
  in_table = 1 << 12,
  of_several = 1 << 13,  // the request to cite is for several
};
using Signs = std::uint32_t;
constexpr Signs operator|(Signs a, Sign b) { return a | static_cast<Signs>(b); }
constexpr bool has(Signs signs, Sign sign) { return (signs & static_cast<Signs>(sign)) != 0; }

// An identifier, once, where it was read.
struct Mention {
  arxiv::Id id;
  std::uint32_t line = 0;
  EvidenceKind kind = EvidenceKind::text;
  std::string text;  // the line around it, at most 160 bytes
  Signs signs = 0;
};

}  // namespace tanggul::readers
