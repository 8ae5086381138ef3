#include "readers/document/document.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "readers/arxiv/finder.h"
#include "readers/bibtex/bibtex.h"
#include "readers/document/entries.h"
#include "readers/document/gathered_table.h"
#include "readers/document/line_count.h"
#include "readers/document/named_references.h"
#include "readers/document/place.h"
#include "readers/document/surroundings.h"
#include "readers/markup/html_scanner.h"
#include "readers/markup/inline.h"
#include "readers/markup/line.h"
#include "readers/markup/markdown.h"
#include "readers/markup/plain.h"
#include "readers/markup/plain_text.h"
#include "readers/markup/rest.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostWeighed = 4000;  // mentions of a document

EvidenceKind kind_of(arxiv::Form form) {
  switch (form) {
    case arxiv::Form::link:
      return EvidenceKind::link;
    case arxiv::Form::badge:
      return EvidenceKind::badge;
    case arxiv::Form::doi:
      return EvidenceKind::doi;
    case arxiv::Form::text:
      break;
  }
  return EvidenceKind::text;
}

class Reader final : public BlockSink {
 public:
  Reader(const arxiv::Month& latest, DocumentSink& sink)
      : latest_(latest), sink_(sink), entries_(latest, sink) {}

  void block(const Block& block) override {
    if (html_.in_comment()) {  // which a block of raw HTML left open
      if (block.text.find("-->") != std::string_view::npos) html(block);
      return;
    }
    last_id_.clear();
    last_end_ = 0;
    switch (block.kind) {
      case Block::Kind::heading:
        return heading(block);
      case Block::Kind::paragraph:
        return paragraph(block);
      case Block::Kind::code:
        return code(block);
      case Block::Kind::html:
        return html(block);
    }
  }

  void begin_table(const Cells& header, std::uint32_t line) override {
    hidden_ = html_.in_comment();
    if (hidden_) return;
    table_.begin(header, line, place_);
    arxiv_columns_.clear();
    for (std::size_t c = 0; c < header.size(); ++c)
      if (to_lower(table_.table().columns[c]).find("arxiv") != std::string::npos)
        arxiv_columns_.push_back(c);
    cells(header, line);
  }

  void row(const Cells& cells_of_row, std::uint32_t line) override {
    if (hidden_) return;
    cells(cells_of_row, line);
    table_.add(cells_of_row);
  }

  void end_table() override {
    if (hidden_) return;
    if (table_.cut()) sink_.defect(table_.table().line, "a table of more rows than are read");
    give(table_.take());
    place_.text("");
  }

  void finish() {
    html_.finish();
    take_html_tables();
  }

 private:
  void heading(const Block& block) {
    const std::string text = markup_text(block.text);
    place_.heading(block.level, text);
    const Inline seen(block.text);
    find(seen.visible(), block.line, seen.spans(),
         place_.is_title() ? static_cast<Signs>(Sign::in_title) : 0);
  }

  void paragraph(const Block& block) {
    if (html_.in_table()) html_.text(block.text);
    const bool bibtex = has_bibtex(block.text);
    const bool uses = NamedReferences::uses_any(block.text);
    if (bibtex || uses || arxiv::has_id(block.text, latest_)) {
      const Inline seen(block.text);
      if (uses) references_.remember(block.text, seen.spans(), place_);
      find(seen.visible(), block.line, seen.spans(), 0, bibtex);
    }
    place_.text(block.text);
  }

  void code(const Block& block) {
    LineCount lines(block.text, block.line);
    Signs signs = place_.among_others() ? static_cast<Signs>(Sign::among_others) : 0;
    if (place_.in_citation()) signs |= static_cast<Signs>(Sign::to_be_cited);
    const auto between = [&](std::size_t begin, std::size_t end) {
      find_in(block.text, begin, end, lines, [&](arxiv::Found& found) {
        sink_.mention({std::move(found.id), lines.at(found.begin), EvidenceKind::code,
                       line_around(block.text, found.begin), signs});
      });
    };
    if (has_bibtex(block.text))
      entries_.read(
          block.text, block.line, [this](std::string_view title) { return place_.of_entry(title); },
          between);
    else
      between(0, block.text.size());
  }

  void html(const Block& block) {
    if (trim(block.text).starts_with("<!--")) comment(block);
    const std::string_view seen = html_.feed(block.text, block.line);
    const std::vector<HtmlHeading> headings = html_.take_headings();
    static const std::vector<Span> kNone;
    LineCount lines(seen, block.line);
    std::size_t at = 0;
    const auto mentions = [&](std::size_t end, Signs signs) {
      if (end <= at) return;
      const std::string_view part = seen.substr(at, end - at);
      const auto between = [&, from = at](std::size_t begin, std::size_t stop) {
        find_in(seen, from + begin, from + stop, lines,
                [&](arxiv::Found& found) { mention(seen, found, lines, kNone, signs); });
      };
      if (has_bibtex(part))
        entries_.read(
            part, LineCount(seen, block.line).at(at),
            [this](std::string_view title) { return place_.of_entry(title); }, between);
      else
        between(0, part.size());
      at = end;
    };
    for (const HtmlHeading& heading : headings) {
      mentions(heading.begin, 0);
      place_.heading(heading.level, heading.text);
      mentions(heading.end,
               heading.level < 7 && place_.is_title() ? static_cast<Signs>(Sign::in_title) : 0);
    }
    mentions(seen.size(), 0);
    take_html_tables();
    if (!trim(seen).empty()) place_.text(markup_text(seen, 1024));
  }

  void comment(const Block& block) {
    const std::size_t open = block.text.find("<!--") + 4;
    const std::string_view body = block.text.substr(open, block.text.find("-->", open) - open);
    const std::size_t begin = body.find_first_not_of(" \t\n-");
    if (begin == std::string_view::npos) return;
    const std::string start = to_lower(body.substr(begin, 40));
    const std::size_t value = start.find_first_not_of(" \t", 5);
    if (start.starts_with("type:") && value != std::string::npos &&
        start.substr(value).starts_with("model-index"))
      sink_.model_index(body, block.line);
  }

  void take_html_tables() {
    for (HtmlTable& html : html_.take_tables()) give(table_of(std::move(html), place_));
  }

  void give(Table table) {
    if (auto found = measured(std::move(table))) sink_.result_table(std::move(*found));
  }

  void cells(const Cells& cells, std::uint32_t line) {
    const auto give = [&](std::string_view cell, arxiv::Found& found) {
      sink_.mention({std::move(found.id), line, kind_of(found.form), line_around(cell, found.begin),
                     table_signs()});
    };
    for (std::size_t c = 0; c < cells.size(); ++c) {
      bool any = false;
      std::optional<Inline> inside;  // most cells have no comment to be blanked
      if (cells[c].find("<!--") != std::string_view::npos) inside.emplace(cells[c]);
      const std::string_view cell = inside ? inside->visible() : cells[c];
      LineCount lines(cell, line);
      find_in(cell, 0, cell.size(), lines, [&](arxiv::Found& found) {
        any = true;
        give(cell, found);
      });
      if (any || std::find(arxiv_columns_.begin(), arxiv_columns_.end(), c) == arxiv_columns_.end())
        continue;
      if (auto id = arxiv::parse(markup_text(cells[c]), latest_)) {
        arxiv::Found found{std::move(*id), 0, 0, arxiv::Form::text};
        give(cells[c], found);
      }
    }
  }

  Signs table_signs() const {
    return static_cast<Signs>(Sign::in_table) |
           (place_.among_others() ? static_cast<Signs>(Sign::among_others) : 0);
  }

  // Of a part of the text, with places in the whole. In a document with very many mentions the
  // later ones are found, with where they stand, but what is around them is not weighed; those of
  // papers that enough is known of are counted.
  template <class Take>
  void find_in(std::string_view text, std::size_t begin, std::size_t end, LineCount& lines,
               Take take) {
    arxiv::find(text.substr(begin, end - begin), latest_, [&](arxiv::Found&& found) {
      found.begin += begin, found.end += begin;
      const bool enough = sink_.enough(found.id.canonical);
      if (!enough && weighed_ < kMostWeighed) {
        ++weighed_;
        take(found);
        return true;
      }
      std::string around = enough ? std::string() : line_around(text, found.begin);
      sink_.mention(
          {std::move(found.id), lines.at(found.begin), kind_of(found.form), std::move(around), 0});
      return true;
    });
  }

  void find(std::string_view seen, std::uint32_t line, const std::vector<Span>& spans, Signs signs,
            bool bibtex = false) {
    LineCount lines(seen, line);
    const auto between = [&](std::size_t begin, std::size_t end) {
      find_in(seen, begin, end, lines, [&](arxiv::Found& found) {
        mention(seen, found, lines, spans, signs | references_.of_definition(seen, found.begin));
      });
    };
    if (bibtex)
      entries_.read(
          seen, line, [this](std::string_view title) { return place_.of_entry(title); }, between);
    else
      between(0, seen.size());
  }

  void mention(std::string_view seen, arxiv::Found& found, LineCount& lines,
               const std::vector<Span>& spans, Signs signs) {
    const std::size_t since = found.id.canonical == last_id_ ? 0 : last_end_;
    const Surroundings near = around(seen, found.begin, found.end, spans, since);
    last_id_ = found.id.canonical, last_end_ = near.end;
    signs |=
        place_.of_mention({near.before, near.label, near.badge || found.form == arxiv::Form::badge,
                           near.opens, NamedReferences::is_listed(seen, found.begin)});
    sink_.mention({std::move(found.id), lines.at(found.begin), kind_of(found.form),
                   line_around(seen, found.begin), signs});
  }

  const arxiv::Month& latest_;
  DocumentSink& sink_;
  Entries entries_;
  Place place_;
  HtmlScanner html_;
  GatheredTable table_;
  bool hidden_ = false;  // the table stands in a comment
  std::vector<std::size_t> arxiv_columns_;
  NamedReferences references_;
  std::string last_id_;  // the mention before in this block, and where its link ends
  std::size_t last_end_ = 0;
  std::size_t weighed_ = 0;
};

// Of a stretch of a text that has no structure for us.
void identifiers(std::string_view text, std::size_t begin, std::size_t end,
                 std::optional<EvidenceKind> kind, Signs signs, LineCount& lines,
                 const arxiv::Month& latest, DocumentSink& sink) {
  arxiv::find(text.substr(begin, end - begin), latest, [&](arxiv::Found&& found) {
    const std::size_t at = begin + found.begin;
    const bool enough = sink.enough(found.id.canonical);
    sink.mention({std::move(found.id), lines.at(at), kind.value_or(kind_of(found.form)),
                  enough ? std::string() : line_around(text, at), signs});
    return true;
  });
}

}  // namespace

void read_markdown(std::string_view text, std::uint32_t first_line, const arxiv::Month& latest,
                   DocumentSink& sink) {
  Reader reader(latest, sink);
  scan_markdown(text, reader, first_line);
  reader.finish();
}

void read_rest(std::string_view text, const arxiv::Month& latest, DocumentSink& sink) {
  Reader reader(latest, sink);
  scan_rest(text, reader);
  reader.finish();
}

void read_plain(std::string_view text, const arxiv::Month& latest, DocumentSink& sink) {
  Reader reader(latest, sink);
  scan_plain(text, reader);
  reader.finish();
}

void read_bibtex_file(std::string_view text, bool own, const arxiv::Month& latest,
                      DocumentSink& sink) {
  const Signs signs = own ? static_cast<Signs>(Sign::declared) : 0;
  LineCount lines(text, 1);
  Entries(latest, sink)
      .read(
          text, 1, [signs](std::string_view) { return signs; },
          [&](std::size_t begin, std::size_t end) {
            identifiers(text, begin, end, std::nullopt, 0, lines, latest, sink);
          });
}

void read_identifiers(std::string_view text, std::uint32_t first_line, EvidenceKind kind,
                      Signs signs, const arxiv::Month& latest, DocumentSink& sink) {
  LineCount lines(text, first_line);
  identifiers(text, 0, text.size(), kind, signs, lines, latest, sink);
}

}  // namespace tanggul::readers
