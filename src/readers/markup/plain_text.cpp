#include "readers/markup/plain_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/utf8.h"
#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kLongestStruck = 256;

constexpr bool of_a_word(char c) {
  return letter(c) || digit(c) || static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f';
}

struct Entity {
  std::string_view name, text;
};
constexpr Entity kEntities[] = {
    {"amp", "&"},    {"lt", "<"},     {"gt", ">"},      {"quot", "\""},     {"apos", "'"},
    {"nbsp", " "},   {"ensp", " "},   {"emsp", " "},    {"thinsp", " "},    {"plusmn", "±"},
    {"pm", "±"},     {"times", "×"},  {"minus", "−"},   {"ndash", "–"},     {"mdash", "—"},
    {"uarr", "↑"},   {"darr", "↓"},   {"uparrow", "↑"}, {"downarrow", "↓"}, {"deg", "°"},
    {"middot", "·"}, {"check", "✓"},  {"dagger", "†"},  {"ast", "*"},       {"vert", "|"},
    {"verbar", "|"}, {"lowbar", "_"}, {"percnt", "%"}};

bool append_number(std::string_view digits, std::string& out) {
  const bool sixteen = digits.starts_with('x') || digits.starts_with('X');
  if (sixteen) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 7) return false;
  char32_t c = 0;
  for (const char d : digits) {
    const int value = digit(d)                                        ? d - '0'
                      : sixteen && (d | 32) >= 'a' && (d | 32) <= 'f' ? (d | 32) - 'a' + 10
                                                                      : -1;
    if (value < 0) return false;
    c = c * (sixteen ? 16 : 10) + static_cast<char32_t>(value);
  }
  append_utf8(c == 0xa0 ? U' ' : c, out);
  return true;
}

// Appends what the entity means that `text` begins with; gives its length, 0 if it is none.
std::size_t append_entity(std::string_view text, std::string& out) {
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == std::string_view::npos || end < 2) return 0;
  const std::string_view name = text.substr(1, end - 1);
  if (name[0] == '#') return append_number(name.substr(1), out) ? end + 1 : 0;
  for (const Entity& entity : kEntities)
    if (entity.name == name) {
      out += entity.text;
      return end + 1;
    }
  return 0;
}

std::size_t tag_length(std::string_view text) {
  if (text.size() < 3 || !(letter(text[1]) || (text[1] == '/' && letter(text[2])))) {
    if (!text.starts_with("<!--")) return 0;
    const std::size_t end = text.find("-->");
    return end == std::string_view::npos ? 0 : end + 3;
  }
  const std::size_t end = text.substr(0, 1024).find_first_of("<>", 1);
  return end != std::string_view::npos && text[end] == '>' ? end + 1 : 0;
}

bool is_break(std::string_view tag) {
  std::string name;
  for (const char c : tag.substr(0, 8))
    if (letter(c) || c == '/') name += static_cast<char>(c | 32);
  return name.starts_with("br") || name.starts_with("p") || name.starts_with("li") ||
         name.starts_with("sup") || name.starts_with("/p") || name.starts_with("div") ||
         name.starts_with("/div");
}

// "[text](where)" becomes its text. One pass with a bounded stack; targets are at most 2 KiB.
std::string without_links(std::string_view text) {
  std::string out;
  std::vector<std::size_t> open;  // places in `out` of '['
  std::size_t searched_in_vain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size()) {
      out += c, out += text[++at];
      continue;
    }
    if (c == '[' && open.size() < 16) open.push_back(out.size());
    if (c == ']' && !open.empty()) {
      const std::size_t begin = open.back();
      open.pop_back();
      const std::size_t end = at + 1 < text.size() && text[at + 1] == '(' && searched_in_vain < 8
                                  ? text.substr(0, at + 2048).find(')', at + 2)
                                  : std::string_view::npos;
      if (end != std::string_view::npos) {
        const bool image = begin > 0 && out[begin - 1] == '!';
        out.erase(image ? begin - 1 : begin, image ? 2 : 1);
        at = end;
        continue;
      }
      ++searched_in_vain;
    }
    out += c;
  }
  return out;
}

// Marks of emphasis, code and mathematics that stand in pairs.
class Marks {
 public:
  explicit Marks(std::string_view text) : text_(text), dropped_(text.size(), false) {}

  std::string without() {
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == '\\') {
        at += 2;
        continue;
      }
      const std::size_t kind = std::string_view("*_~`$").find(c);
      const std::size_t n = run(at);
      if (kind != std::string_view::npos && n <= 3) pair(kind, at, n);
      at += n;
    }
    std::string out;
    for (std::size_t at = 0; at < text_.size(); ++at)
      if (!dropped_[at]) out += text_[at];
    return out;
  }

 private:
  std::size_t run(std::size_t at) const {
    return std::min(text_.find_first_not_of(text_[at], at), text_.size()) - at;
  }

  void pair(std::size_t kind, std::size_t at, std::size_t n) {
    const char before = at == 0 ? ' ' : text_[at - 1];
    const char behind = at + n == text_.size() ? ' ' : text_[at + n];
    const bool underscore = text_[at] == '_', single_tilde = text_[at] == '~' && n == 1;
    auto& open = open_[kind][n];
    if (open && !blank(before) && !(underscore && of_a_word(behind))) {
      if (text_[at] == '~')  // what is struck out is not said
        std::fill(dropped_.begin() + static_cast<std::ptrdiff_t>(*open),
                  dropped_.begin() + static_cast<std::ptrdiff_t>(at + n), true);
      for (std::size_t i = 0; i < n; ++i) dropped_[*open + i] = dropped_[at + i] = true;
      open.reset();
    } else if (!blank(behind) && !(underscore && of_a_word(before)) && !single_tilde) {
      open = at;
    }
  }

  std::string_view text_;
  std::vector<bool> dropped_;
  std::array<std::array<std::optional<std::size_t>, 4>, 5> open_;
};

// One blank for each run of them, none at the ends.
void fold_blanks(std::string& text) {
  std::size_t kept = 0;
  for (const char c : text) {
    if (!blank(c))
      text[kept++] = c;
    else if (kept > 0 && text[kept - 1] != ' ')
      text[kept++] = ' ';
  }
  if (kept > 0 && text[kept - 1] == ' ') --kept;
  text.resize(kept);
}

// "<del>90.1</del>": its length, 0 if it is none.
std::size_t struck_out(std::string_view text, std::size_t tag) {
  for (const std::string_view name : {"s", "del", "strike"}) {
    const std::string_view behind = text.substr(1, tag - 1);
    if (!behind.starts_with(name) || behind.size() < name.size() + 1) continue;
    if (behind[name.size()] != '>' && behind[name.size()] != ' ') continue;
    const std::string end = "</" + std::string(name) + ">";
    const std::size_t at = text.substr(0, tag + kLongestStruck).find(end, tag);
    return at == std::string_view::npos ? 0 : at + end.size();
  }
  return 0;
}

// A tag of a break or a block parts words, others do not.
std::string without_tags(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool escaped = at > 0 && text[at - 1] == '\\' && (at < 2 || text[at - 2] != '\\');
    std::size_t n = text[at] == '<' && !escaped ? tag_length(text.substr(at)) : 0;
    if (n > 0) n = std::max(n, struck_out(text.substr(at), n));
    if (n == 0)
      out += text[at];
    else if (is_break(text.substr(at, n)))
      out += ' ';
    at += std::max<std::size_t>(n, 1);
  }
  return out;
}

constexpr bool punctuation(char c) { return c > ' ' && c < 0x7f && !letter(c) && !digit(c); }

std::string without_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && punctuation(text[at + 1])) ++at;
    out += text[at];
  }
  return out;
}

constexpr unsigned kTag = 1, kLink = 2, kMark = 4, kEscape = 8, kOther = 16;
constexpr auto kMarkupOf = [] {
  std::array<unsigned char, 256> of{};
  of['<'] = kTag, of['['] = kLink, of['\\'] = kEscape;
  of['*'] = of['_'] = of['~'] = of['`'] = of['$'] = kMark;
  of['&'] = of[' '] = of['\t'] = of['\n'] = of['\v'] = of['\f'] = kOther;
  return of;
}();

// What a text may have of each kind; most of the short ones have none.
unsigned markup_in(std::string_view text) {
  unsigned any = 0;
  for (const char c : text) any |= kMarkupOf[static_cast<unsigned char>(c)];
  return any;
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string out;
  if (text.find('&') == std::string_view::npos) {
    out = text;
    fold_blanks(out);
    return out;
  }
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = text[at] == '&' ? append_entity(text.substr(at), out) : 0;
    if (n == 0) out += text[at];
    at += std::max<std::size_t>(n, 1);
  }
  fold_blanks(out);
  return out;
}

std::string markup_text(std::string_view text, std::size_t most) {
  text = text.substr(0, most);
  const unsigned markup = markup_in(text);
  if (markup == 0) return std::string(text);
  if (markup == kOther) return plain_text(text);
  std::string bare = (markup & kTag) != 0 ? without_tags(text) : std::string(text);
  if ((markup & kLink) != 0) bare = without_links(bare);
  if ((markup & kMark) != 0) bare = Marks(bare).without();
  if ((markup & kEscape) != 0) bare = without_escapes(bare);
  return plain_text(bare);
}

}  // namespace tanggul::readers
