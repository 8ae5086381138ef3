#include "readers/markup/markdown.h"

#include <algorithm>
#include <optional>

#include "readers/markup/gathered.h"
#include "readers/markup/html_block.h"
#include "readers/markup/line.h"
#include "readers/markup/table_row.h"
#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kDeepest = 64;

// A quote, or an item of a list with the columns that its content is indented by.
struct Container {
  bool item = false;
  int width = 0;
  bool empty = false;  // an item whose first line has nothing yet
};

struct Fence {
  char mark;
  std::size_t length;
  int indent;
  std::string_view info;
};

struct Marker {
  int width;       // of the mark itself
  bool ordered_1;  // "1." or a bullet: what may end a paragraph
};

std::size_t run_of(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

std::optional<Marker> list_marker(std::string_view text) {
  std::size_t n = 0;
  bool one = true;
  if (text[0] == '-' || text[0] == '+' || text[0] == '*') {
    n = 1;
  } else {
    while (n < text.size() && n < 10 && digit(text[n])) ++n;
    if (n == 0 || n == 10 || n == text.size() || (text[n] != '.' && text[n] != ')'))
      return std::nullopt;
    one = text.substr(0, n) == "1";
    ++n;
  }
  if (n < text.size() && !is_blank(text[n])) return std::nullopt;
  return Marker{static_cast<int>(n), one};
}

int atx_level(std::string_view text) {
  const std::size_t n = run_of(text, '#');
  if (n == 0 || n > 6 || (n < text.size() && !is_blank(text[n]))) return 0;
  return static_cast<int>(n);
}

std::string_view atx_text(std::string_view text, int level) {
  text = trim(text.substr(static_cast<std::size_t>(level)));
  const std::size_t end = text.find_last_not_of('#');
  if (end == std::string_view::npos) return {};
  return is_blank(text[end]) ? trim(text.substr(0, end)) : text;
}

std::optional<Fence> fence(std::string_view text, int indent) {
  if (text.empty() || (text[0] != '`' && text[0] != '~')) return std::nullopt;
  const std::size_t n = run_of(text, text[0]);
  if (n < 3) return std::nullopt;
  const std::string_view info = trim(text.substr(n));
  if (text[0] == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
  return Fence{text[0], n, indent, info};
}

int setext_level(std::string_view text) {
  if (text.empty() || (text[0] != '=' && text[0] != '-')) return 0;
  return is_blank(text.substr(run_of(text, text[0]))) ? (text[0] == '=' ? 1 : 2) : 0;
}

class Scanner {
 public:
  Scanner(std::string_view text, BlockSink& sink, std::uint32_t first_line)
      : rest_(text), sink_(sink), lines_(sink), number_(first_line - 1) {}

  void run() {
    while (!rest_.empty()) {
      ++number_;
      line(take_line(rest_));
    }
    close_leaf();
  }

 private:
  enum class Leaf { none, paragraph, fence, indented, html, table };

  void line(std::string_view whole) {
    LineCursor cursor(whole);
    not_thematic_ = {};
    const std::size_t matched = match_containers(cursor);
    const bool all = matched == containers_.size();
    if (all && (leaf_ == Leaf::fence || leaf_ == Leaf::html)) return verbatim(cursor);
    if (!all && leaf_ != Leaf::paragraph) leave(matched);
    const bool opened = open_containers(cursor, matched);
    if (leaf_ == Leaf::paragraph && containers_.size() > matched && !opened) {
      if (is_lazy(cursor)) return add_to_paragraph(cursor);
      leave(matched);
    }
    leaf_line(cursor);
  }

  std::size_t match_containers(LineCursor& cursor) {
    std::size_t n = 0;
    for (; n < containers_.size(); ++n) {
      Container& container = containers_[n];
      if (!container.item) {
        if (cursor.indent(4) > 3 || !cursor.content().starts_with('>')) break;
        take_quote(cursor);
      } else if (cursor.indent(container.width) >= container.width) {
        cursor.skip_columns(container.width);
        if (!cursor.rest_is_blank()) container.empty = false;
      } else if (!cursor.rest_is_blank() || container.empty) {
        break;
      }
    }
    return n;
  }

  static void take_quote(LineCursor& cursor) {
    cursor.skip_blanks();
    cursor.skip_bytes(1);
    if (cursor.indent(1) > 0) cursor.skip_columns(1);
  }

  // Opens what begins on this line, closing what it does not belong to. True: something began.
  bool open_containers(LineCursor& cursor, std::size_t matched) {
    bool opened = false;
    while (containers_.size() < kDeepest && cursor.indent(4) <= 3 && !cursor.rest_is_blank()) {
      const bool in_paragraph = leaf_ == Leaf::paragraph && !opened;
      const std::string_view content = cursor.content();
      if (content[0] == '>') {
        leave_for(matched, opened);
        take_quote(cursor);
        containers_.push_back({});
      } else if (const auto marker = list_marker(content);
                 marker && !setext_here(content, in_paragraph, matched) && !thematic(content)) {
        if (!open_item(cursor, *marker, in_paragraph, matched, opened)) return opened;
      } else {
        return opened;
      }
      opened = true;
    }
    return opened;
  }

  bool setext_here(std::string_view content, bool in_paragraph, std::size_t matched) const {
    return in_paragraph && matched == containers_.size() && setext_level(content) > 0;
  }

  void leave_for(std::size_t matched, bool opened) {
    if (!opened) leave(matched);
    close_leaf();
  }

  bool open_item(LineCursor& cursor, Marker marker, bool in_paragraph, std::size_t matched,
                 bool opened) {
    const std::string_view content = cursor.content();
    const bool blank = is_blank(content.substr(static_cast<std::size_t>(marker.width)));
    // What may be a wrapped line of a paragraph begins no list.
    if (in_paragraph && matched == containers_.size() && (blank || !marker.ordered_1)) return false;
    leave_for(matched, opened);
    const int before = cursor.indent(4);
    cursor.skip_blanks();
    cursor.skip_bytes(static_cast<std::size_t>(marker.width));
    const int behind = blank ? 1 : cursor.indent(5);
    const int space = behind > 4 ? 1 : behind;
    cursor.skip_columns(blank ? 0 : space);
    containers_.push_back({true, before + marker.width + space, blank});
    return true;
  }

  bool thematic(std::string_view content) {
    if (content[0] != '-' && content[0] != '*' && content[0] != '_') return false;
    // A line of many marks is looked through once, not from each of them.
    if (not_thematic_.mark == content[0] && content.size() > not_thematic_.left) return false;
    std::size_t marks = 0, at = 0;
    for (; at < content.size(); ++at) {
      if (content[at] == content[0])
        ++marks;
      else if (!is_blank(content[at]))
        break;
    }
    if (at == content.size() && marks >= 3) return true;
    if (at < content.size()) not_thematic_ = {content[0], content.size() - at};
    return false;
  }

  // A line that goes on with a paragraph although it lacks the marks of its quote or list.
  bool is_lazy(LineCursor& cursor) {
    if (cursor.rest_is_blank()) return false;
    if (cursor.indent(4) > 3) return true;
    const std::string_view content = cursor.content();
    return atx_level(content) == 0 && !fence(content, 0) && !thematic(content) &&
           html_block_kind(content, false) == 0;
  }

  void verbatim(LineCursor& cursor) {
    if (leaf_ == Leaf::fence) {
      const std::string_view content = cursor.content();
      const std::size_t n = run_of(content, fence_.mark);
      if (n >= fence_.length && cursor.indent(4) <= 3 && is_blank(content.substr(n)))
        return close_leaf();
      cursor.skip_columns(std::min(fence_.indent, cursor.indent(fence_.indent)));
      return add(cursor.rest());
    }
    if (html_ >= 6 && cursor.rest_is_blank()) return close_leaf();
    add(cursor.rest());
    if (html_ < 6 && ends_html_block(html_, cursor.rest())) close_leaf();
  }

  void leaf_line(LineCursor& cursor) {
    if (cursor.rest_is_blank()) {
      if (leaf_ == Leaf::indented)
        add({});
      else
        close_leaf();
      return;
    }
    if (cursor.indent(4) > 3) {
      if (leaf_ == Leaf::paragraph) return add_to_paragraph(cursor);
      if (leaf_ != Leaf::indented) begin(Leaf::indented);
      cursor.skip_columns(4);
      return add(cursor.rest());
    }
    if (leaf_ == Leaf::indented) close_leaf();
    if (!begins_leaf(cursor)) text_line(cursor);
  }

  bool begins_leaf(LineCursor& cursor) {
    const std::string_view content = cursor.content();
    switch (content[0]) {
      case '#':
        if (const int level = atx_level(content)) {
          close_leaf();
          const Block heading{Block::Kind::heading, level, {}, atx_text(content, level), number_};
          sink_.block(heading);
          return true;
        }
        return false;
      case '`':
      case '~':
        if (const auto found = fence(content, cursor.indent(4))) {
          begin(Leaf::fence);
          fence_ = *found;
          return true;
        }
        return false;
      case '<':
        if (const int kind = html_block_kind(content, leaf_ == Leaf::paragraph)) {
          begin(Leaf::html);
          html_ = kind;
          verbatim(cursor);
          return true;
        }
        return false;
      case '=':
      case '-':
        if (const int level = setext_level(content); level > 0 && leaf_ == Leaf::paragraph) {
          leaf_ = Leaf::none;
          lines_.give(Block::Kind::heading, level);
          return true;
        }
        break;
      default:
        break;
    }
    if (!thematic(content)) return false;
    close_leaf();
    return true;
  }

  void text_line(LineCursor& cursor) {
    if (leaf_ == Leaf::table) {
      split_row(cursor.content(), columns_, cells_);
      if (!cells_.empty()) return sink_.row(cells_, number_);
      close_leaf();  // a lone pipe
    }
    if (leaf_ == Leaf::paragraph && begins_table(cursor.content())) return;
    if (leaf_ != Leaf::paragraph) begin(Leaf::paragraph);
    add_to_paragraph(cursor);
  }

  bool begins_table(std::string_view content) {
    const std::size_t columns = delimiter_columns(content);
    if (columns == 0) return false;
    split_row(lines_.last(), columns + 1, cells_);
    if (cells_.size() != columns) return false;
    const std::uint32_t header_line = lines_.last_line();
    const std::string header(lines_.last());
    lines_.drop_last();
    lines_.give(Block::Kind::paragraph);
    lines_.clear();
    split_row(header, columns, cells_);
    leaf_ = Leaf::table, columns_ = columns;
    sink_.begin_table(cells_, header_line);
    return true;
  }

  void add_to_paragraph(LineCursor& cursor) { add(cursor.content()); }

  void add(std::string_view text) {
    if (lines_.full()) give(leaf_ == Leaf::paragraph ? 1 : 0);
    lines_.add(text, number_);
  }

  void begin(Leaf leaf) {
    close_leaf();
    leaf_ = leaf;
  }

  void give(std::size_t keep = 0) {
    switch (leaf_) {
      case Leaf::paragraph:
        return lines_.give(Block::Kind::paragraph, 0, {}, keep);
      case Leaf::fence:
        return lines_.give(Block::Kind::code, 0, fence_.info);
      case Leaf::indented:
        return lines_.give(Block::Kind::code);
      case Leaf::html:
        return lines_.give(Block::Kind::html);
      default:
        return;
    }
  }

  void close_leaf() {
    if (leaf_ == Leaf::indented) lines_.drop_blank_end();
    give();
    lines_.clear();
    if (leaf_ == Leaf::table) sink_.end_table();
    leaf_ = Leaf::none;
  }

  void leave(std::size_t matched) {
    if (containers_.size() == matched) return;
    close_leaf();
    containers_.resize(matched);
  }

  struct NotThematic {
    char mark = 0;
    std::size_t left = 0;  // characters of the line from where it stopped being one
  };

  std::string_view rest_;
  BlockSink& sink_;
  Gathered lines_;
  std::uint32_t number_;
  std::vector<Container> containers_;
  Leaf leaf_ = Leaf::none;
  Fence fence_{};
  int html_ = 0;
  std::size_t columns_ = 0;
  BlockSink::Cells cells_;
  NotThematic not_thematic_;
};

}  // namespace

void scan_markdown(std::string_view text, BlockSink& sink, std::uint32_t first_line) {
  Scanner(text, sink, first_line).run();
}

}  // namespace tanggul::readers
