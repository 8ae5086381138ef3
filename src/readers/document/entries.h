#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "readers/arxiv/finder.h"
#include "readers/bibtex/bibtex.h"
#include "readers/document/document.h"
#include "readers/document/line_count.h"
#include "readers/document/surroundings.h"
#include "readers/text/ascii.h"

namespace tanggul::readers {

// Gives the identifiers of the BibTeX entries of a text, those of an entry once each.
class Entries {
 public:
  Entries(const arxiv::Month& latest, DocumentSink& sink) : latest_(latest), sink_(sink) {}

  // `signs` of an entry are asked for as it comes; `between` is given what stands between entries,
  // by its places in the text.
  template <class SignsOf, class Between>
  void read(std::string_view text, std::uint32_t first_line, SignsOf signs, Between between) {
    LineCount lines(text, first_line);
    std::size_t end = 0;
    read_bibtex(text, [&](const BibEntry& entry) {
      if (entry.begin > end) between(end, entry.begin);
      end = entry.end;
      if (entry.broken) sink_.defect(lines.at(entry.begin), "a BibTeX entry without an end");
      entry_ids(text, entry);
      const Signs of_entry = signs(plain_title(entry.field("title")));
      LineCount within(text.substr(0, entry.end), lines.at(entry.begin), entry.begin);
      for (auto& [id, at] : ids_)
        sink_.mention(
            {std::move(id), within.at(at), EvidenceKind::bibtex, line_around(text, at), of_entry});
    });
    if (end < text.size()) between(end, text.size());
  }

 private:
  void entry_ids(std::string_view text, const BibEntry& entry) {
    ids_.clear();
    arxiv::find(text.substr(entry.begin, entry.end - entry.begin), latest_,
                [&](arxiv::Found&& found) {
                  add(std::move(found.id), entry.begin + found.begin);
                  return ids_.size() < kMostIds;
                });
    for (arxiv::Id& id : eprints(entry, latest_)) {
      const std::string_view number =
          std::string_view(id.canonical).substr(id.canonical.rfind('/') + 1);
      const std::size_t at = place_of(number, text.substr(entry.begin, entry.end - entry.begin));
      add(std::move(id), entry.begin + at);
    }
    std::sort(ids_.begin(), ids_.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  // Not within a longer number; 0 if it is not written in one piece.
  static std::size_t place_of(std::string_view number, std::string_view text) {
    for (std::size_t at = 0; (at = text.find(number, at)) != std::string_view::npos; ++at) {
      const std::size_t end = at + number.size();
      if ((at == 0 || !digit(text[at - 1])) && (end == text.size() || !digit(text[end]))) return at;
    }
    return 0;
  }

  void add(arxiv::Id id, std::size_t at) {
    for (auto& [known, place] : ids_)
      if (known.canonical == id.canonical) {
        known.version = std::max(known.version, id.version);
        return;
      }
    ids_.emplace_back(std::move(id), at);
  }

  static constexpr std::size_t kMostIds = 64;
  const arxiv::Month& latest_;
  DocumentSink& sink_;
  std::vector<std::pair<arxiv::Id, std::size_t>> ids_;
};

}  // namespace tanggul::readers
