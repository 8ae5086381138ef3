#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/arxiv/id.h"

namespace tanggul::readers {

struct BibEntry {
  std::string type, key;  // the type in lower case, "article"
  // In the order of the file, names in lower case, values without their outer braces or quotes and
  // with their blanks folded, the first 2 KiB of each.
  std::vector<std::pair<std::string, std::string>> fields;
  std::size_t begin = 0, end = 0;  // in the text
  bool broken = false;             // its end is missing

  std::string_view field(std::string_view name) const;  // the last of that name; empty: none
};

// Could this text have an entry: is there an '@' with a name and a brace behind it?
bool has_bibtex(std::string_view text);

// Calls `found` for each entry. Linear, bounded by one entry of 64 fields. An entry whose braces
// never close ends before the next line that begins one; what was read of it is given.
// Gives how many such broken entries there were.
std::size_t read_bibtex(std::string_view text, const std::function<void(const BibEntry&)>& found);

// What the fields of an entry say beyond their text: eprint with archivePrefix, primaryClass and
// number apart, a number alone as the volume of CoRR or arXiv. (Links, DOIs and "arXiv:…" in the
// entry's text are arxiv::find's.)
std::vector<arxiv::Id> eprints(const BibEntry& entry, const arxiv::Month& latest);

// A title as people read it: without braces, TeX's commands for accents and fonts left out.
std::string plain_title(std::string_view title);

}  // namespace tanggul::readers
