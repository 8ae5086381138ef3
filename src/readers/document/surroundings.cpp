#include "readers/document/surroundings.h"

#include <algorithm>

#include "readers/markup/line.h"
#include "readers/markup/plain_text.h"
#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kSentence = 240, kLabel = 300, kTag = 512, kSnippet = 160;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Behind the last end of a sentence.
std::string_view last_sentence(std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const bool mark = text[at] == '.' || text[at] == '!' || text[at] == '?';
    const bool apart = text[at + 1] == ' ' || text[at + 1] == '\n';
    const bool shortened = at >= 2 && text[at - 2] == ' ';  // an initial, "D. Blas"
    if (mark && apart && !shortened && !text.substr(0, at).ends_with("et al") &&
        !text.substr(0, at).ends_with("e.g") && !text.substr(0, at).ends_with("i.e"))
      begin = at + 1;
    if (text.substr(at).starts_with("。")) begin = at + 3;
  }
  return text.substr(begin);
}

// "A, B and C" are spoken of together.
bool is_and(std::string_view gap) {
  if (gap.size() > 24) return false;
  std::string word;
  for (std::size_t at = 0; at <= gap.size(); ++at) {
    const char c = at < gap.size() ? gap[at] : ' ';
    if (letter(c)) {
      word += static_cast<char>(c | 32);
    } else if (!word.empty()) {
      if (word != "and" && word != "or" && word != "the" && word != "also") return false;
      word.clear();
    }
  }
  return gap.find_first_of("\n.") == std::string_view::npos;
}

std::string sentence_before(std::string_view text, std::size_t end, std::size_t since) {
  std::size_t begin = end > kSentence ? end - kSentence : 0;
  if (since <= end && !is_and(text.substr(since, end - since))) begin = std::max(begin, since);
  while (begin < end && continues_character(text[begin])) ++begin;
  std::string plain = markup_text(text.substr(begin, end - begin));
  const std::string_view sentence = last_sentence(plain);
  std::string out(trim(sentence));
  if (end > 0 && (is_blank(text[end - 1]) || text[end - 1] == '\n')) out += ' ';
  return out;
}

struct Extent {
  std::size_t begin;  // of the whole link
  std::size_t end;
  std::string label;
  bool badge = false;
};

// alt="…"
std::string attribute(std::string_view tag, std::string_view name) {
  const std::size_t at = tag.find(name);
  if (at == std::string_view::npos || at + name.size() + 2 > tag.size()) return {};
  const std::string_view value = tag.substr(at + name.size());
  const char quote = value[0];
  if (quote != '"' && quote != '\'') return std::string(value.substr(0, value.find_first_of(" >")));
  return plain_text(value.substr(1, value.substr(1).find(quote)));
}

// "https://img.shields.io/badge/arXiv-Paper-red?logo=arxiv" and "assets/arxiv.svg": the last part.
std::string file_name(std::string_view address) {
  address = address.substr(0, address.find_first_of("?# "));
  return std::string(address.substr(address.rfind('/') + 1));
}

// What a link shows: its text, or that of the picture in it.
void show(std::string_view inside, Extent& extent) {
  extent.badge = inside.find("shields.io") != std::string_view::npos ||
                 inside.find("/badge") != std::string_view::npos;
  extent.label = markup_text(inside);
  if (!extent.label.empty()) return;
  if (const std::size_t image = inside.find("<img"); image != std::string_view::npos) {
    extent.label = attribute(inside.substr(image), "alt=");
    if (extent.label.empty()) extent.label = file_name(attribute(inside.substr(image), "src="));
  } else if (const std::size_t at = inside.find("![]("); at != std::string_view::npos) {
    extent.label = file_name(inside.substr(at + 4, inside.find(')', at) - at - 4));
  }
}

// <a href="…here…">label</a>
bool in_tag(std::string_view text, std::size_t begin, std::size_t end, Extent& extent) {
  const std::size_t from = begin > kTag ? begin - kTag : 0;
  const std::string_view window = text.substr(from, begin - from);
  const std::size_t open = window.find_last_of("<>");
  if (open == std::string_view::npos || window[open] != '<' || open + 1 >= window.size())
    return false;
  const std::size_t close = text.substr(0, end + kTag).find('>', end);
  if (close == std::string_view::npos) return false;
  extent.begin = from + open;
  if (letter(window[open + 1]) && !window.substr(open + 1).starts_with("http")) {
    const std::string_view behind = text.substr(close + 1, kLabel);
    const std::size_t stop = std::min({behind.find("</a"), behind.find("</A"), behind.size()});
    show(behind.substr(0, stop), extent);
    extent.end = close + 1 + stop;
    return true;
  }
  // reST's `label <here>`_
  if (text.substr(close).starts_with(">`")) {
    const std::string_view all = text.substr(from, open);
    const std::size_t tick = all.rfind('`');
    if (tick != std::string_view::npos) {
      extent.begin = from + tick;
      extent.label = plain_text(all.substr(tick + 1));
    }
  }
  return true;
}

bool in_span(std::string_view text, std::size_t begin, const std::vector<Span>& spans,
             Extent& extent) {
  // Ordered by their ends: the first that reaches beyond is the innermost; the outermost is wanted.
  auto span = std::partition_point(spans.begin(), spans.end(),
                                   [begin](const Span& s) { return s.end <= begin; });
  bool found = false;
  for (int looked = 0; span != spans.end() && looked < 8; ++span, ++looked) {
    if (span->begin > begin) continue;
    extent.begin = span->begin, extent.end = span->end;
    show(text.substr(span->text_begin, std::min(kLabel, span->text_end - span->text_begin)),
         extent);
    found = true;
  }
  return found;
}

// Where the word or URL begins that ends at `at`.
std::size_t token_begin(std::string_view text, std::size_t at) {
  const std::size_t from = at > kTag ? at - kTag : 0;
  const std::size_t apart = text.substr(from, at - from).find_last_of(" \t\n\"'`<>()[]{}|");
  return apart == std::string_view::npos ? from : from + apart + 1;
}

// "Paper: " at the start of a line calls what follows.
std::string key_before(std::string_view text, std::size_t at) {
  const std::size_t from = at > 48 ? at - 48 : 0;
  const std::string_view window = text.substr(from, at - from);
  const std::size_t newline = window.rfind('\n');
  if (newline == std::string_view::npos && from > 0) return {};
  const std::string key =
      markup_text(newline == std::string_view::npos ? window : window.substr(newline + 1));
  return key.ends_with(':') ? key.substr(0, key.size() - 1) : std::string();
}

}  // namespace

Surroundings around(std::string_view text, std::size_t begin, std::size_t end,
                    const std::vector<Span>& spans, std::size_t since) {
  Extent extent{begin, end, {}};
  if (in_span(text, begin, spans, extent) || in_tag(text, begin, end, extent))
    return {sentence_before(text, extent.begin, since), std::move(extent.label), extent.badge,
            extent.begin == 0, extent.end};
  const std::size_t word = token_begin(text, begin);
  if (std::string key = key_before(text, word); !key.empty())
    return {{}, std::move(key), false, false, end};
  return {sentence_before(text, word, since), {}, false, false, end};
}

std::string line_around(std::string_view text, std::size_t at) {
  const std::size_t from = at > kSnippet ? at - kSnippet : 0;
  const std::size_t newline = text.substr(from, at - from).rfind('\n');
  std::size_t begin = newline == std::string_view::npos ? from : from + newline + 1;
  const std::size_t end =
      std::min(text.substr(0, at + kSnippet).find('\n', at), std::min(text.size(), at + kSnippet));
  if (end - begin > kSnippet) {
    const std::size_t wanted = at - begin > kSnippet / 2 ? at - kSnippet / 2 : begin;
    begin = std::min(wanted, end - kSnippet);
  }
  std::size_t last = std::min(end, begin + kSnippet);
  while (begin < at && continues_character(text[begin])) ++begin;
  while (last > at && last < text.size() && continues_character(text[last])) --last;
  return std::string(trim(text.substr(begin, last - begin)));
}

}  // namespace tanggul::readers
