#include "readers/document/document.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "readers/arxiv/finder.h"
#include "readers/bibtex/bibtex.h"
#include "readers/document/place.h"
#include "readers/document/surroundings.h"
#include "readers/markup/gathered.h"
#include "readers/markup/html_scanner.h"
#include "readers/markup/inline.h"
#include "readers/markup/line.h"
#include "readers/markup/markdown.h"
#include "readers/markup/plain_text.h"
#include "readers/markup/rest.h"
#include "readers/papers/phrases.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostRows = 2000, kMostCells = 20'000, kMostReferences = 4096;
constexpr std::size_t kMostWeighed = 4000;  // mentions of a document

// The line of a place, counted on from the place before.
class LineCount {
 public:
  LineCount(std::string_view text, std::uint32_t first, std::size_t from = 0)
      : text_(text), line_(first), counted_(from) {}
  std::uint32_t at(std::size_t place) {
    if (place < counted_) return line_;
    line_ += static_cast<std::uint32_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                   text_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    counted_ = place;
    return line_;
  }

 private:
  std::string_view text_;
  std::uint32_t line_;
  std::size_t counted_;
};

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

// The entries of a text, with the identifiers of each once.
class Entries {
 public:
  Entries(const arxiv::Month& latest, DocumentSink& sink) : latest_(latest), sink_(sink) {}

  // `signs` of an entry are asked for as it comes; `between` is given what stands between entries,
  // by its places in the text.
  template <class SignsOf, class Between>
  void read(std::string_view text, std::uint32_t first_line, SignsOf signs, Between between) {
    LineCount lines(text, first_line);
    std::size_t end = 0;
    const std::size_t broken = read_bibtex(text, [&](const BibEntry& entry) {
      if (entry.begin > end) between(end, entry.begin);
      end = entry.end;
      entry_ids(text, entry);
      const Signs of_entry = signs(plain_title(entry.field("title")));
      LineCount within(text.substr(0, entry.end), lines.at(entry.begin), entry.begin);
      for (auto& [id, at] : ids_)
        sink_.mention(
            {std::move(id), within.at(at), EvidenceKind::bibtex, line_around(text, at), of_entry});
    });
    if (end < text.size()) between(end, text.size());
    if (broken > 0) sink_.defect(first_line, "a BibTeX entry without an end");
  }

 private:
  void entry_ids(std::string_view text, const BibEntry& entry) {
    ids_.clear();
    arxiv::find(text.substr(entry.begin, entry.end - entry.begin), latest_,
                [&](arxiv::Found&& found) {
                  add(std::move(found.id), entry.begin + found.begin);
                  return ids_.size() < kMostIds;
                });
    for (arxiv::Id& id : eprints(entry, latest_)) add(std::move(id), entry.begin);
    std::sort(ids_.begin(), ids_.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
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

// "[1]", the mark of a reference.
bool has_number(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('[', at)) != std::string_view::npos; ++at)
    if (at + 2 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9' &&
        (text[at + 2] == ']' || (at + 3 < text.size() && text[at + 3] == ']')))
      return true;
  return false;
}

// In a line, or in one just above, that begins "[1]": an entry of a list of references.
bool is_listed(std::string_view text, std::size_t at) {
  const std::size_t from = at > 600 ? at - 600 : 0;
  std::string_view window = text.substr(from, at - from);
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    std::string_view line = window.substr(begin == 0 ? 0 : begin + 1, 8);
    while (line.starts_with('\\') || line.starts_with(' ')) line.remove_prefix(1);
    if ((begin > 0 || from == 0) && line.size() > 2 && line[0] == '[' && line[1] >= '0' &&
        line[1] <= '9' && (line[2] == ']' || line[2] == '\\' || line[3] == ']'))
      return true;
    begin = window.find('\n', begin + 1);
  }
  return false;
}

class Reader final : public BlockSink {
 public:
  Reader(const arxiv::Month& latest, DocumentSink& sink)
      : latest_(latest), sink_(sink), entries_(latest, sink) {}

  void block(const Block& block) override {
    if (html_.in_comment() && !ends_comment(block)) return;
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
    table_ = {};
    table_.line = line;
    for (const std::string_view cell : header) table_.columns.push_back(markup_text(cell));
    table_.headings = place_.headings();
    table_.caption = place_.before();
    arxiv_columns_.clear();
    for (std::size_t c = 0; c < table_.columns.size(); ++c)
      if (lowered(table_.columns[c]).find("arxiv") != std::string::npos)
        arxiv_columns_.push_back(c);
    cells_left_ = kMostCells, cut_ = false;
    cells(header, line);
  }

  void row(const Cells& cells_of_row, std::uint32_t line) override {
    cells(cells_of_row, line);
    const std::size_t width = table_.columns.size();
    if (cut_ || table_.rows.size() >= kMostRows || cells_left_ < width) {
      cut_ = true;
      return;
    }
    cells_left_ -= width;
    std::vector<std::string> row;
    for (const std::string_view cell : cells_of_row) row.push_back(markup_text(cell));
    row.resize(width);
    table_.rows.push_back(std::move(row));
  }

  void end_table() override {
    if (cut_) sink_.defect(table_.line, "a table of more rows than are read");
    give(std::exchange(table_, {}));
    place_.text("");
  }

  void finish() {
    html_.finish();
    take_html_tables();
  }

 private:
  // A comment that a block of raw HTML left open goes on until its end is written.
  bool ends_comment(const Block& block) {
    if (block.text.find("-->") == std::string_view::npos) return false;
    html_.feed(block.text, block.line);
    return false;
  }

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
    const bool references = block.text.find("][") != std::string_view::npos;
    const bool numbers = has_number(block.text);
    if (bibtex || references || numbers || arxiv::has_id(block.text, latest_)) {
      const Inline seen(block.text);
      if (references) remember_references(block.text, seen.spans());
      if (numbers) remember_numbers(block.text, seen.spans());
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
    if (block.text.starts_with("<!--")) comment(block);
    const std::string_view seen = html_.feed(block.text, block.line);
    const std::vector<HtmlHeading> headings = html_.take_headings();
    static const std::vector<Span> kNone;
    LineCount lines(seen, block.line);
    std::size_t at = 0;
    const auto mentions = [&](std::size_t end, Signs signs) {
      if (end > at)
        find_in(seen, at, end, lines,
                [&](arxiv::Found& found) { mention(seen, found, lines, kNone, signs); });
      at = std::max(at, end);
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
    const std::string_view body = block.text.substr(4, block.text.find("-->", 4) - 4);
    const std::size_t begin = body.find_first_not_of(" \t\n-");
    if (begin == std::string_view::npos) return;
    const std::string start = lowered(body.substr(begin, 40));
    const std::size_t value = start.find_first_not_of(" \t", 5);
    if (start.starts_with("type:") && value != std::string::npos &&
        start.substr(value).starts_with("model-index"))
      sink_.model_index(body, block.line);
  }

  void take_html_tables() {
    for (HtmlTable& html : html_.take_tables()) {
      Table table;
      table.line = html.line, table.html = true;
      table.headings = place_.headings();
      table.caption = place_.before();
      fill(table, html);
      give(std::move(table));
    }
  }

  // Of several header rows each column's texts become one.
  static void fill(Table& table, HtmlTable& html) {
    std::size_t width = 0;
    for (const auto& row : html.rows) width = std::max(width, row.size());
    if (html.header_rows == 0 || html.header_rows == html.rows.size())
      html.header_rows = std::min<std::size_t>(1, html.rows.size());
    table.columns.resize(width);
    for (std::size_t r = 0; r < html.rows.size(); ++r) {
      html.rows[r].resize(width);
      if (r >= html.header_rows) {
        if (table.rows.size() < kMostRows) table.rows.push_back(std::move(html.rows[r]));
        continue;
      }
      for (std::size_t c = 0; c < width; ++c) {
        std::string& column = table.columns[c];
        const std::string& part = html.rows[r][c];
        if (part.empty() || column == part) continue;
        column += column.empty() ? part : " " + part;
      }
    }
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
      LineCount lines(cells[c], line);
      find_in(cells[c], 0, cells[c].size(), lines, [&](arxiv::Found& found) {
        any = true;
        give(cells[c], found);
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
        mention(seen, found, lines, spans, signs | of_definition(seen, found.begin));
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
    signs |= place_.of_mention({near.before, near.label, found.form == arxiv::Form::badge,
                                near.alone, is_listed(seen, found.begin)});
    sink_.mention({std::move(found.id), lines.at(found.begin), kind_of(found.form),
                   line_around(seen, found.begin), signs});
  }

  // Each name is looked at where it is used first, second and third: the same one many times over
  // says nothing new.
  Signs* to_remember(std::string name) {
    if (name.empty() || name[0] == '^') return nullptr;
    auto found = references_.find(name);
    if (found == references_.end()) {
      if (references_.size() >= kMostReferences) return nullptr;
      found = references_.emplace(std::move(name), Used{}).first;
    }
    return ++found->second.times <= 3 ? &found->second.signs : nullptr;
  }

  // "[label][name]": what stands here holds for the definition of the name, which mostly comes
  // later.
  void remember_references(std::string_view text, const std::vector<Span>& spans) {
    for (std::size_t at = 0; (at = text.find("][", at)) != std::string_view::npos; at += 2) {
      const std::size_t end = text.substr(0, at + 128).find(']', at + 2);
      Signs* const signs = end == std::string_view::npos
                               ? nullptr
                               : to_remember(lowered(text.substr(at + 2, end - at - 2)));
      if (signs == nullptr) continue;
      const std::size_t from = at > 300 ? at - 300 : 0;
      const std::size_t open = text.substr(from, at - from).rfind('[');
      if (open == std::string_view::npos) continue;
      const std::string label = markup_text(text.substr(from + open + 1, at - from - open - 1));
      const Surroundings near = around(text, from + open, from + open, spans);
      *signs |= place_.of_mention({near.before, label});
    }
  }

  // "implementation of [1]" likewise for the list of references, "[1] Akata et al. …".
  void remember_numbers(std::string_view text, const std::vector<Span>& spans) {
    for (std::size_t at = 0; (at = text.find('[', at)) != std::string_view::npos; ++at) {
      const std::size_t end = text.substr(0, at + 4).find(']', at + 2);
      if (end == std::string_view::npos || at == 0 || text[at - 1] == '\n') continue;
      const std::string_view number = text.substr(at + 1, end - at - 1);
      if (number.find_first_not_of("0123456789") != std::string_view::npos) continue;
      Signs* const signs = to_remember(std::string(number));
      if (signs == nullptr) continue;
      const Surroundings near = around(text, at, at, spans);
      *signs |= place_.of_mention({near.before, {}}) & ~static_cast<Signs>(Sign::named_as_title);
    }
  }

  // The signs of those who used the definition "[name]: where" whose line this is.
  Signs of_definition(std::string_view text, std::size_t at) const {
    if (references_.empty()) return 0;
    // The nearest line above that begins "[name]", at most eight lines up.
    std::size_t end = at;
    for (int up = 0; up < 8; ++up) {
      const std::size_t from = end > 512 ? end - 512 : 0;
      const std::size_t newline = text.substr(from, end - from).rfind('\n');
      const std::size_t begin = newline == std::string_view::npos ? from : from + newline + 1;
      if (text[begin] == '[') {
        const std::string_view line = text.substr(begin, 512);
        const auto found =
            references_.find(lowered(line.substr(1, std::min(line.find(']'), line.size()) - 1)));
        return found == references_.end() ? 0 : found->second.signs;
      }
      if (newline == std::string_view::npos) return 0;
      end = begin - 1;
    }
    return 0;
  }

  const arxiv::Month& latest_;
  DocumentSink& sink_;
  Entries entries_;
  Place place_;
  HtmlScanner html_;
  Table table_;
  std::vector<std::size_t> arxiv_columns_;
  std::size_t cells_left_ = 0;
  bool cut_ = false;
  std::string last_id_;  // the mention before in this block, and where its link ends
  std::size_t last_end_ = 0;
  std::size_t weighed_ = 0;
  struct Used {
    Signs signs = 0;
    std::uint32_t times = 0;
  };
  std::map<std::string, Used, std::less<>> references_;
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
  Gathered lines(reader);
  std::uint32_t number = 0;
  bool title = true;
  const auto give = [&] {
    if (lines.empty()) return;
    lines.give(title && lines.count() == 1 ? Block::Kind::heading : Block::Kind::paragraph, 1);
    lines.clear();
    title = false;
  };
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    ++number;
    if (is_blank(line))
      give();
    else if (lines.full())
      give(), lines.add(trim(line), number);
    else
      lines.add(trim(line), number);
  }
  give();
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
