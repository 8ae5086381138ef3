#include "readers/markup/html_scanner.h"

#include <algorithm>

#include "readers/markup/plain_text.h"
#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kDeepest = 8, kMostCells = 20'000, kMostBytes = 4 << 20, kLongestCell = 1024,
                      kMostColumns = 128;
constexpr std::size_t kMostHeadings = 10'000, kLongestTag = 2048;

std::string tag_name(std::string_view tag) {
  std::string name;
  for (const char c : tag.substr(0, 12)) {
    if (!letter(c) && !(digit(c) && !name.empty())) break;
    name += static_cast<char>(letter(c) ? c | 32 : c);
  }
  return name;
}

// colspan="2"
std::size_t number_of(std::string_view tag, std::string_view attribute, std::size_t most) {
  const std::size_t at = tag.find(attribute);
  if (at == std::string_view::npos) return 1;
  std::size_t n = 0;
  bool any = false;
  for (const char c : tag.substr(at + attribute.size(), 8)) {
    if (digit(c))
      n = n * 10 + static_cast<std::size_t>(c - '0'), any = true;
    else if (any || (c != '=' && c != '"' && c != '\'' && c != ' '))
      break;
  }
  return std::clamp<std::size_t>(n, 1, most);
}

// The '>' of the tag at `at`, not one in a quoted value; a quote that nothing closes is none.
std::size_t tag_end(std::string_view html, std::size_t at) {
  char quote = 0;
  const std::size_t most = std::min(html.size(), at + kLongestTag);
  for (std::size_t i = at + 1; i < most; ++i) {
    const char c = html[i];
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '>')
      return i;
    else if ((c == '"' || c == '\'') && html[i - 1] == '=')
      quote = c;
  }
  return html.find('>', at);
}

void append(std::string& to, std::string_view text) {
  if (to.size() < kLongestCell) to += text.substr(0, kLongestCell - to.size());
}

}  // namespace

std::string_view HtmlScanner::without_comments(std::string_view html) {
  if (!in_comment_ && html.find("<!--") == std::string_view::npos) return html;
  scratch_ = html;
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t end = in_comment_ ? html.find("-->", at) : html.find("<!--", at);
    const bool found = end != std::string_view::npos;
    const std::size_t to = !found ? html.size() : in_comment_ ? end + 3 : end;
    if (in_comment_)
      for (std::size_t i = at; i < to; ++i)
        if (scratch_[i] != '\n') scratch_[i] = ' ';
    at = to;
    if (found) in_comment_ = !in_comment_;
  }
  return scratch_;
}

std::string_view HtmlScanner::feed(std::string_view html, std::uint32_t line) {
  const std::string_view seen = without_comments(html);
  line_ = line;
  if (in_heading_) heading_.begin = 0;
  std::size_t counted = 0, text_from = 0;
  for (std::size_t at = 0; (at = seen.find('<', at)) != std::string_view::npos;) {
    const bool is_tag = at + 1 < seen.size() &&
                        (letter(seen[at + 1]) ||
                         (seen[at + 1] == '/' && at + 2 < seen.size() && letter(seen[at + 2])));
    const std::size_t end = is_tag ? tag_end(seen, at) : at;
    if (end == std::string_view::npos) break;
    if (is_tag) {
      text(seen.substr(text_from, at - text_from));
      line_ += static_cast<std::uint32_t>(
          std::count(seen.begin() + static_cast<std::ptrdiff_t>(counted),
                     seen.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      counted = at;
      tag(seen.substr(at + 1, end - at - 1), at);
      text_from = end + 1;
    }
    at = end + 1;
  }
  text(seen.substr(text_from));
  text("\n");
  return seen;
}

void HtmlScanner::text(std::string_view text) {
  if (!open_.empty() && open_.back().in_cell) append(open_.back().cell, text);
  if (in_heading_) append(heading_.text, text);
}

void HtmlScanner::tag(std::string_view tag, std::size_t at) {
  if (tag[0] == '/')
    closing(tag_name(tag.substr(1)), at);
  else
    opening(tag_name(tag), tag.substr(0, 1024), at);
}

void HtmlScanner::opening(std::string_view name, std::string_view tag, std::size_t at) {
  const bool heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
  if (heading || name == "summary") {
    end_heading(at);
    heading_ = {heading ? name[1] - '0' : 7, {}, at, at};
    in_heading_ = true;
  } else if (name == "table") {
    begin_table();
  } else if (name == "br" || name == "p" || name == "div" || name == "li" || name == "sup") {
    text(" ");
  } else if (open_.empty()) {
    return;
  } else if (name == "thead") {
    open_.back().in_head = true;
  } else if (name == "tbody" || name == "tfoot") {
    end_row();
    open_.back().in_head = false;
  } else if (name == "tr") {
    begin_row();
  } else if (name == "td" || name == "th") {
    begin_cell(tag, name == "th");
  }
}

void HtmlScanner::closing(std::string_view name, std::size_t at) {
  const bool heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
  if (heading || name == "summary") {
    end_heading(at);
  } else if (name == "details") {
    if (headings_.size() < kMostHeadings) headings_.push_back({7, {}, at, at});
  } else if (open_.empty()) {
    return;
  } else if (name == "table") {
    end_table();
  } else if (name == "thead") {
    end_row();
    open_.back().in_head = false;
  } else if (name == "tr") {
    end_row();
  } else if (name == "td" || name == "th") {
    end_cell();
  }
}

void HtmlScanner::begin_table() {
  if (open_.size() >= kDeepest) return;
  open_.emplace_back();
  open_.back().table.line = line_;
}

void HtmlScanner::begin_row() {
  end_row();
  open_.back().in_row = true;
  open_.back().only_header = true;
}

void HtmlScanner::begin_cell(std::string_view tag, bool header) {
  end_cell();
  Open& table = open_.back();
  if (!table.in_row) begin_row();
  table.in_cell = true;
  table.header = header;
  table.columns = number_of(tag, "colspan", kMostColumns);
  table.rows = number_of(tag, "rowspan", 1000);
  table.cell.clear();
}

bool HtmlScanner::full() const { return cells_ >= kMostCells || bytes_ >= kMostBytes; }

bool HtmlScanner::take_room(const std::string& text) {
  if (full()) return false;
  ++cells_, bytes_ += text.size();
  return true;
}

// Cells of rows above that reach into this one stand where they are.
void HtmlScanner::carry_down() {
  Open& table = open_.back();
  while (table.row.size() < table.below.size() && table.below[table.row.size()].rows > 0) {
    Below& below = table.below[table.row.size()];
    --below.rows;
    table.row.push_back(take_room(below.text) ? below.text : std::string());
  }
}

void HtmlScanner::place(std::string text, std::size_t rows) {
  Open& table = open_.back();
  carry_down();
  if (table.row.size() >= kMostColumns || !take_room(text)) return;
  if (rows > 1) {
    table.below.resize(std::max(table.below.size(), table.row.size() + 1));
    table.below[table.row.size()] = {rows - 1, text};
  }
  table.row.push_back(std::move(text));
}

void HtmlScanner::end_cell() {
  Open& table = open_.back();
  if (!table.in_cell) return;
  table.in_cell = false;
  table.only_header = table.only_header && table.header;
  const std::string text = markup_text(table.cell);
  for (std::size_t i = 0; i < table.columns; ++i) place(text, table.rows);
}

void HtmlScanner::end_row() {
  end_cell();
  Open& table = open_.back();
  if (!std::exchange(table.in_row, false) || table.row.empty()) return;
  if (full()) {
    table.row.clear();
    return;
  }
  carry_down();
  if ((table.in_head || table.only_header) && table.table.header_rows == table.table.rows.size())
    ++table.table.header_rows;
  table.table.rows.push_back(std::exchange(table.row, {}));
}

void HtmlScanner::end_table() {
  end_row();
  HtmlTable table = std::move(open_.back().table);
  open_.pop_back();
  if (!table.rows.empty()) tables_.push_back(std::move(table));
}

void HtmlScanner::end_heading(std::size_t at) {
  if (!std::exchange(in_heading_, false) || headings_.size() >= kMostHeadings) return;
  heading_.end = at;
  heading_.text = markup_text(heading_.text, 512);
  headings_.push_back(std::move(heading_));
}

void HtmlScanner::finish() {
  while (!open_.empty()) end_table();
  end_heading(0);
}

}  // namespace tanggul::readers
