#include "readers/markup/html_block.h"

#include <algorithm>
#include <array>

#include "readers/markup/line.h"
#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

constexpr std::array<std::string_view, 62> kBlockTags = {
    "address",  "article",  "aside",    "base",       "basefont", "blockquote", "body",   "caption",
    "center",   "col",      "colgroup", "dd",         "details",  "dialog",     "dir",    "div",
    "dl",       "dt",       "fieldset", "figcaption", "figure",   "footer",     "form",   "frame",
    "frameset", "h1",       "h2",       "h3",         "h4",       "h5",         "h6",     "head",
    "header",   "hr",       "html",     "iframe",     "legend",   "li",         "link",   "main",
    "menu",     "menuitem", "nav",      "noframes",   "ol",       "optgroup",   "option", "p",
    "param",    "section",  "source",   "summary",    "table",    "tbody",      "td",     "tfoot",
    "th",       "thead",    "title",    "tr",         "track",    "ul"};
constexpr std::array<std::string_view, 4> kVerbatim = {"pre", "script", "style", "textarea"};

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == y; });
}
template <class Names>
bool among(std::string_view name, const Names& names) {
  return std::any_of(names.begin(), names.end(), [&](auto known) { return same(name, known); });
}

std::string_view tag_name(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && (letter(text[n]) || (n > 0 && (digit(text[n]) || text[n] == '-')))) ++n;
  return text.substr(0, n);
}

// A whole open or closing tag, with nothing behind it on the line.
bool is_lone_tag(std::string_view line, bool closing, std::size_t name) {
  std::size_t at = (closing ? 2 : 1) + name;
  char quote = 0;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      break;
    } else if (c == '<' || c == '`' || (closing && !is_blank(c))) {
      return false;
    } else if (c == '"' || c == '\'') {
      if (line[at - 1] != '=') return false;
      quote = c;
    }
  }
  if (at >= line.size()) return false;
  const char behind_name = line[(closing ? 2 : 1) + name];
  if (behind_name != '>' && behind_name != '/' && !is_blank(behind_name)) return false;
  return is_blank(line.substr(at + 1));
}

bool has(std::string_view line, std::string_view what) {
  return line.find(what) != std::string_view::npos;
}

bool has_verbatim_end(std::string_view line) {
  for (std::size_t at = 0; (at = line.find("</", at)) != std::string_view::npos; at += 2) {
    const std::string_view name = tag_name(line.substr(at + 2));
    const std::size_t end = at + 2 + name.size();
    if (among(name, kVerbatim) && end < line.size() && line[end] == '>') return true;
  }
  return false;
}

}  // namespace

int html_block_kind(std::string_view line, bool in_paragraph) {
  if (line.size() < 2 || line[0] != '<') return 0;
  if (line.starts_with("<!--")) return 2;
  if (line[1] == '?') return 3;
  if (line.starts_with("<![CDATA[")) return 5;
  if (line[1] == '!') return line.size() > 2 && letter(line[2]) ? 4 : 0;
  const bool closing = line[1] == '/';
  const std::string_view name = tag_name(line.substr(closing ? 2 : 1));
  if (name.empty()) return 0;
  const std::string_view behind = line.substr((closing ? 2 : 1) + name.size());
  const bool apart = behind.empty() || is_blank(behind[0]) || behind[0] == '>';
  if (!closing && apart && among(name, kVerbatim)) return 1;
  if ((apart || behind.starts_with("/>")) && among(name, kBlockTags)) return 6;
  if (in_paragraph) return 0;
  return is_lone_tag(line, closing, name.size()) ? 7 : 0;
}

bool ends_html_block(int kind, std::string_view line) {
  switch (kind) {
    case 1:
      return has_verbatim_end(line);
    case 2:
      return has(line, "-->");
    case 3:
      return has(line, "?>");
    case 4:
      return has(line, ">");
    case 5:
      return has(line, "]]>");
    default:
      return is_blank(line);
  }
}

}  // namespace tanggul::readers
