#include "readers/markup/rest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "readers/markup/gathered.h"
#include "readers/markup/line.h"

namespace tanggul::readers {
namespace {

constexpr bool adorns(char c) {
  return c > ' ' && c < 0x7f && !((c | 32) >= 'a' && (c | 32) <= 'z') && !(c >= '0' && c <= '9');
}

// A line of one mark alone.
bool is_adornment(std::string_view line) {
  line = trim(line);
  return line.size() >= 2 && adorns(line[0]) &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

int indent_of(std::string_view line) { return LineCursor(line).indent(1 << 20); }

// What "..": an explicit mark, and of which kind.
enum class Explicit { none, comment, code, html, text };

Explicit explicit_kind(std::string_view content) {
  if (content != ".." && !content.starts_with(".. ") && !content.starts_with("..\t"))
    return Explicit::none;
  const std::string_view what = trim(content.substr(2));
  if (what.starts_with('_') || what.starts_with('[') || what.starts_with('|'))
    return Explicit::text;
  const std::size_t mark = what.find("::");
  if (mark == std::string_view::npos || mark == 0) return Explicit::comment;
  const std::string_view name = what.substr(0, mark);
  for (const char c : name)
    if (!((c | 32) >= 'a' && (c | 32) <= 'z') &&
        std::string_view("-_.:+0123456789").find(c) == std::string_view::npos)
      return Explicit::comment;
  if (name == "raw")
    return trim(what.substr(mark + 2)) == "html" ? Explicit::html : Explicit::comment;
  if (name == "code" || name == "code-block" || name == "sourcecode" || name == "parsed-literal" ||
      name == "literalinclude")
    return Explicit::code;
  return Explicit::text;
}

class Scanner {
 public:
  Scanner(std::string_view text, BlockSink& sink) : rest_(text), lines_(sink) {}

  void run() {
    while (!rest_.empty()) {
      ++number_;
      line(take_line(rest_));
    }
    give();
  }

 private:
  void line(std::string_view whole) {
    const bool blank = is_blank(whole);
    const int indent = blank ? 0 : indent_of(whole);
    // Two dots alone, with nothing right below, are a whole comment.
    if (std::exchange(lone_, false) && blank) body_ = Explicit::none;
    if (body_ != Explicit::none && (blank || indent > body_indent_)) return body_line(whole, blank);
    if (body_ != Explicit::none) end_body();
    if (blank) return end_paragraph();
    const std::string_view content = trim(whole);
    if (const Explicit kind = explicit_kind(content); kind != Explicit::none)
      return begin_explicit(kind, content, indent);
    if (title(whole)) return;
    if (lines_.empty()) paragraph_indent_ = indent;
    add(content);
  }

  // What belongs to the explicit mark or to the "::" before it, by its indent.
  void body_line(std::string_view whole, bool blank) {
    if (body_ == Explicit::comment) return;
    if (blank && lines_.empty()) return;
    if (body_ == Explicit::text && blank) return give();
    add(body_ == Explicit::text ? trim(whole) : whole);
  }

  void begin_explicit(Explicit kind, std::string_view content, int indent) {
    give();
    if (kind == Explicit::text) add(content);
    if (kind == Explicit::text) give();
    body_ = kind, body_indent_ = indent;
    lone_ = content == "..";
  }

  void end_body() {
    if (body_ != Explicit::text) lines_.drop_blank_end();
    give();
    body_ = Explicit::none;
  }

  void end_paragraph() {
    if (lines_.empty()) {
      overline_ = 0;  // it was a transition
      return;
    }
    const bool literal = lines_.last().ends_with("::");
    give();
    if (literal) body_ = Explicit::code, body_indent_ = paragraph_indent_;
  }

  bool title(std::string_view whole) {
    if (!is_adornment(whole)) return false;
    // A row of marks under one line of text that is not much longer.
    if (lines_.count() == 1 && trim(whole).size() >= 3) {
      const char mark = trim(whole)[0];
      const bool over = overline_ == mark;
      overline_ = 0;
      lines_.give(Block::Kind::heading, level_of(mark, over));
      return true;
    }
    if (lines_.empty() && trim(whole).size() >= 3) {
      overline_ = trim(whole)[0];
      return true;
    }
    return false;
  }

  int level_of(char mark, bool over) {
    const std::string style{mark, over ? 'o' : 'u'};
    auto found = std::find(styles_.begin(), styles_.end(), style);
    if (found == styles_.end()) found = styles_.insert(styles_.end(), style);
    return static_cast<int>(found - styles_.begin()) + 1;
  }

  void add(std::string_view text) {
    if (lines_.full()) give();
    lines_.add(text, number_);
  }

  void give() {
    const Block::Kind kind = body_ == Explicit::html   ? Block::Kind::html
                             : body_ == Explicit::code ? Block::Kind::code
                                                       : Block::Kind::paragraph;
    if (body_ == Explicit::none) overline_ = 0;
    lines_.give(kind);
    lines_.clear();
  }

  std::string_view rest_;
  Gathered lines_;
  std::uint32_t number_ = 0;
  Explicit body_ = Explicit::none;
  int body_indent_ = 0, paragraph_indent_ = 0;
  bool lone_ = false;  // the line before was ".." alone
  char overline_ = 0;
  std::vector<std::string> styles_;  // adornments in the order in which they came: the levels
};

}  // namespace

void scan_rest(std::string_view text, BlockSink& sink) { Scanner(text, sink).run(); }

}  // namespace tanggul::readers
