#include "readers/arxiv/finder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "readers/arxiv/before.h"

namespace tanggul::readers::arxiv {
namespace {

constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
constexpr bool word(char c) { return digit(c) || letter(c); }

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && digit(text[at + n])) ++n;
  return n;
}

// The separator of a new number at `at`: how many bytes it has, 0 if there is none. "-" is dblp's.
std::size_t separator(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, 3);
  if (rest.starts_with('.') || rest.starts_with('-')) return 1;
  if (rest.starts_with("\\.")) return 2;
  return rest == "%2E" || rest == "%2e" ? 3 : 0;
}

// What may follow a number: a version, and then nothing that would make it another number or word.
struct Tail {
  std::size_t end;
  unsigned version;
};
std::optional<Tail> tail(std::string_view text, std::size_t end, bool ads) {
  Tail found{end, 0};
  if (end < text.size() && (text[end] | 32) == 'v') {
    const std::size_t n = digits_from(text, end + 1);
    if (n > 0 && n <= 3 && text[end + 1] != '0') {
      for (const char c : text.substr(end + 1, n))
        found.version = found.version * 10 + static_cast<unsigned>(c - '0');
      found.end = end + 1 + n;
    }
  }
  if (found.end == text.size()) return found;
  const char next = text[found.end];
  if (ads && letter(next)) return found;  // the bibcode's last character is the author's initial
  if (word(next)) return std::nullopt;
  if (next == '.' && found.end + 1 < text.size() && digit(text[found.end + 1])) return std::nullopt;
  return found;
}

// Where the next digit is, or the end. Eight bytes at a time: most of a text is passed over here.
std::size_t next_digit(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = kOnes * 0x80;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, text.data() + at, 8);
    const std::uint64_t low = eight & ~kHigh;  // no sum reaches into the next byte
    const std::uint64_t from_0 = low + kOnes * (0x80 - '0'), above_9 = low + kOnes * (0x7f - '9');
    if ((from_0 & ~above_9 & ~eight & kHigh) != 0) break;
  }
  while (at < text.size() && !digit(text[at])) ++at;
  return at;
}

// "%20" and the like, whose digits belong to no number behind it.
bool encoded(std::string_view text, std::size_t at) {
  const auto hex = [&](std::size_t i) {
    return digit(text[i]) || ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'f');
  };
  return text[at] == '%' && at + 2 < text.size() && hex(at + 1) && hex(at + 2);
}

bool ends(std::string_view text, std::string_view end) { return text.ends_with(end); }

bool drop(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

// "biorxiv" is not arXiv, nor is "myarxiv".
bool at_a_word(std::string_view before) { return before.empty() || !word(before.back()); }

// "ogbn-arxiv" is a name of its own; "paper-arXiv" within a URL is none.
bool ends_a_compound(std::string_view before) {
  if (before.size() < 2 || before.back() != '-' || !letter(before[before.size() - 2])) return false;
  const std::size_t begin = before.find_last_of(" \"'`<>()[]{}|") + 1;
  return before.substr(begin).find('/') == std::string_view::npos;
}

constexpr std::string_view kMarks = " :-_./#=~\"'`*{}[]()|<>,+^$@!&;\\";

// Words that stand between "arXiv" and its number.
constexpr std::string_view kBetween[] = {
    "preprints", "preprint",   "prints", "print",   "eprints", "eprint", "papers", "paper",
    "article",   "identifier", "report", "version", "server",  "pre",    "number", "index",
    "ids",       "id",         "no",     "nr",      "abs",     "pdf",    "html",   "ps",
    "src",       "format",     "tb",     "org",     "link",    "e"};

// "<a href=…>" at the end of it.
bool drop_tag(std::string_view& text) {
  if (!text.ends_with('>')) return false;
  const std::size_t open = text.rfind('<');
  if (open == std::string_view::npos || !(letter(text[open + 1]) || text[open + 1] == '/'))
    return false;
  text = text.substr(0, open);
  return true;
}

bool drop_word(std::string_view& text) {
  std::size_t begin = text.size();
  while (begin > 0 && (letter(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '-'))
    --begin;
  if (begin < text.size() && is_category(text.substr(begin))) {
    text = text.substr(0, begin);
    return true;
  }
  for (const std::string_view between : kBetween) {
    if (!text.ends_with(between)) continue;
    const std::string_view rest = text.substr(0, text.size() - between.size());
    if (!at_a_word(rest) && !rest.ends_with("arxiv")) continue;  // "arXivId"
    text = rest;
    return true;
  }
  return false;
}

// Is "arXiv" what all this leads back to?
bool after_arxiv(std::string_view before) {
  const std::string_view all = before;
  for (int turns = 0; turns < 16; ++turns) {
    if (drop(before, "arxiv")) {
      if (at_a_word(before)) return !ends_a_compound(before);
      // An ADS bibcode: the year, then arXiv, then at once the number.
      return before.size() + 5 == all.size() && before.size() >= 4 &&
             std::all_of(before.end() - 4, before.end(), digit);
    }
    const std::size_t was = before.size();
    if (!drop_tag(before)) {
      while (!before.empty() && kMarks.find(before.back()) != std::string_view::npos) {
        if (before.back() == '>' && before.rfind('<') != std::string_view::npos) break;
        before.remove_suffix(1);
      }
      drop_tag(before);
    }
    drop_word(before);
    if (before.size() == was) {
      if (before.empty() || kMarks.find(before.back()) == std::string_view::npos) return false;
      before.remove_suffix(1);
    }
  }
  return false;
}

// The end of `before` that is one with what follows, as a URL or a word is.
std::string_view token(std::string_view before, std::string_view apart) {
  const std::size_t cut = before.find_last_of(apart);
  return cut == std::string_view::npos ? before : before.substr(cut + 1);
}
constexpr std::string_view kApart = " \"'`<>()[]{}|\x01";

// Sites that go by arXiv's numbers, with how their paths end before one. An empty end: any segment.
struct Site {
  std::string_view host, end;
};
constexpr Site kSites[] = {{"arxiv.org/", ""},
                           {"arxiv.org:443/", ""},
                           {"lanl.gov/", ""},
                           {"ar5iv.org/", ""},
                           {"alphaxiv.org/", ""},
                           {"arxiv-vanity.com/", ""},
                           {"arxiv-sanity.com/", ""},
                           {"arxiv-sanity-lite.com/", ""},
                           {"arxivxplorer.com/", ""},
                           {"scirate.com/", "arxiv/"},
                           {"semanticscholar.org/", "arxiv/"},
                           {"papers.cool/", "arxiv/"},
                           {"huggingface.co/", "papers/"},
                           {"hf.co/", "papers/"},
                           {"emergentmind.com/", "papers/"},
                           {"moonlight.io/", "arxiv/"},
                           {"inspirehep.net/", "abs/"},
                           {"inspirehep.net/", "eprint/"},
                           {"inspirehep.net/", "eprint+"},
                           {"inspirehep.net/", "eprint "}};

bool on_a_site(std::string_view url) {
  for (const Site& site : kSites) {
    const std::size_t at = url.rfind(site.host);
    if (at == std::string_view::npos) continue;
    if (at > 0 && (word(url[at - 1]) || url[at - 1] == '-' || url[at - 1] == '_')) continue;
    if (site.end.empty() ? std::string_view("/=:").find(url.back()) != std::string_view::npos
                         : ends(url, site.end))
      return true;
  }
  return url.find("xxx.") != std::string_view::npos && (ends(url, "/abs/") || ends(url, "/pdf/"));
}

bool is_badge(std::string_view url) {
  return url.find("badge") != std::string_view::npos ||
         url.find("shields.io") != std::string_view::npos;
}

// What else the badge says, behind the number.
bool arxiv_behind(std::string_view text, std::size_t end) {
  std::size_t n = 0;
  std::array<char, 96> lower{};
  for (; n < lower.size() && end + n < text.size(); ++n) {
    const char c = text[end + n];
    if (c <= ' ' || std::string_view("\"'<>)]/").find(c) != std::string_view::npos) break;
    lower[n] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return std::string_view(lower.data(), n).find("arxiv") != std::string_view::npos;
}

// Inside of a DOI that is not arXiv's: DOIs are the main source of numbers that only look like
// identifiers (arxiv-base, identifier).
bool in_other_doi(std::string_view before) {
  const std::string_view url = token(before, " \"'`<>[]{}|,;\x01");
  const std::size_t at = url.find("10.");
  if (at == std::string_view::npos || (at > 0 && digit(url[at - 1]))) return false;
  const std::size_t n = digits_from(url, at + 3);
  const std::string_view rest = url.substr(at + 3 + n);
  return n >= 4 && n <= 9 && rest.starts_with('/') && url.substr(at + 3, n) != "48550" &&
         rest.find("arxiv:") == std::string_view::npos;
}

std::optional<Form> form_by(std::string_view before, std::string_view text, std::size_t end) {
  if (in_other_doi(before)) return std::nullopt;
  if (ends(before, "10.48550/arxiv.")) return Form::doi;
  const std::string_view url = token(before, kApart);
  const bool badge = is_badge(url);
  if (badge && (url.find("arxiv") != std::string_view::npos || arxiv_behind(text, end)))
    return Form::badge;
  const bool link = url.find('/') != std::string_view::npos;
  if (!url.empty() && on_a_site(url)) return Form::link;
  const bool other_host = url.find("://") != std::string_view::npos &&
                          url.find("arxiv.org") == std::string_view::npos &&
                          url.find("harvard.edu") == std::string_view::npos;
  if (ends(url, "abs/") && at_a_word(url.substr(0, url.size() - 4)) && !other_host)
    return Form::link;
  if (url.find("rxiv.org/") != std::string_view::npos &&
      url.find("/arxiv.org/") == std::string_view::npos &&
      url.find(".arxiv.org/") == std::string_view::npos && ends(url, "abs/"))
    return std::nullopt;
  if (after_arxiv(before)) return link ? Form::link : Form::text;
  return std::nullopt;
}

// "1706.03762 [cs.CL]"
bool category_behind(std::string_view text, std::size_t end) {
  std::size_t at = end;
  while (at < text.size() && at < end + 2 && text[at] == ' ') ++at;
  if (at >= text.size() || text[at] != '[') return false;
  const std::size_t close = text.substr(0, std::min(text.size(), at + 24)).find(']', at);
  return close != std::string_view::npos && is_category(text.substr(at + 1, close - at - 1));
}

// Nothing but "," and "and" since the one before, which was text and ended at `from`.
bool goes_on(std::string_view text, std::size_t from, std::size_t begin) {
  if (from == 0 || begin <= from || begin - from > 12) return false;
  std::string_view gap = text.substr(from, begin - from);
  bool apart = false;
  while (!gap.empty()) {
    const std::size_t n = gap.starts_with("and") ? 3 : gap.starts_with("or") ? 2 : 1;
    if (n == 1 && std::string_view(" ,;&\n").find(gap[0]) == std::string_view::npos) return false;
    apart = apart || n > 1 || gap[0] == ',' || gap[0] == ';' || gap[0] == '&';
    gap.remove_prefix(n);
  }
  return apart;
}

// "hep-th/" and "math.ca/" at the end of what stands before a number, where the archive is one.
std::string_view archive_before(std::string_view before) {
  std::size_t begin = before.size() - 1;
  while (begin > 0 &&
         (letter(before[begin - 1]) || before[begin - 1] == '-' || before[begin - 1] == '.'))
    --begin;
  std::string_view name = before.substr(begin, before.size() - 1 - begin);
  while (!name.empty() && !letter(name[0])) name.remove_prefix(1);
  return name;
}

class Search {
 public:
  Search(std::string_view text, const Month& latest, const std::function<bool(Found&&)>& found)
      : text_(text), latest_(latest), found_(found) {}

  bool done() const { return done_; }

  // A run of digits begins at `at`; gives where to go on.
  std::size_t number(std::size_t at) {
    const std::size_t n = digits_from(text_, at);
    if (n == 4) return new_scheme(at);
    if (n == 7) return old_scheme(at);
    if (n == 9) ads_bibcode(at);
    return at + n;
  }

 private:
  std::size_t new_scheme(std::size_t at) {
    const std::size_t apart = separator(text_, at + 4), from = at + 4 + apart;
    const std::size_t n = apart == 0 ? 0 : digits_from(text_, from);
    if (n == 0) return at + 4;
    const std::string_view yymm = text_.substr(at, 4), sequence = text_.substr(from, n);
    if (n < 4 || n > 5 || !valid_new(yymm, sequence, latest_)) return at + 4;
    if (const auto rest = tail(text_, from + n, true)) {
      std::string canonical(yymm);
      ((canonical += '.') += sequence);
      judge(at, *rest, std::move(canonical), text_[at + 4] == '-');
    }
    return from + n;
  }

  void judge(std::size_t at, const Tail& rest, std::string canonical, bool dashed) {
    const bool ads = rest.end < text_.size() && letter(text_[rest.end]);
    if (!dashed && !ads && goes_on(text_, text_end_, at))
      return take(at, rest, std::move(canonical), Form::text);
    const Before window(text_, at);
    const std::string_view before = window.text();
    std::optional<Form> form;
    if (dashed) {
      if (ends(before, "/abs-") || before == "abs-") form = Form::link;
    } else if (ads) {
      if (ends(before, "arxiv") && after_arxiv(before) && before.size() > 5 &&
          digit(before[before.size() - 6]))
        form = Form::link;
    } else {
      form = form_by(before, text_, rest.end);
      if (!form && category_behind(text_, rest.end) && stands_alone(before)) form = Form::text;
      if (!form && ends(before, "/") && !archive_before(before).empty() &&
          is_category(archive_before(before)) && !in_other_doi(before))
        form = Form::text;
    }
    if (form) take(at, rest, std::move(canonical), *form);
  }

  static bool stands_alone(std::string_view before) {
    while (drop(before, "_")) {  // of emphasis, unless a name goes on before it
    }
    return before.empty() || (!word(before.back()) && std::string_view(".-/").find(before.back()) ==
                                                          std::string_view::npos);
  }

  std::size_t old_scheme(std::size_t at) {
    const std::string_view digits = text_.substr(at, 7);
    const bool slash = at > 1 && (text_[at - 1] == '/' || (text_[at - 1] | 32) == 'f');
    const auto rest = slash && valid_old(digits) ? tail(text_, at + 7, false) : std::nullopt;
    if (!rest || !may_be_behind_an_archive(at)) return at + 7;
    const Before window(text_, at);
    std::string_view before = window.text();
    if (!ends(before, "/") || in_other_doi(before)) return at + 7;
    std::string name(archive_before(before));
    const std::size_t as_written = name.size();
    if (is_badge(token(before, kApart))) write_dashes_once(name);
    const auto skip = behind_other_words(name);
    if (!skip) return at + 7;
    const bool prefixed = *skip > 0;
    name.erase(0, *skip);
    before.remove_suffix(1 + (prefixed ? name.size() : as_written));
    auto form = form_by(before, text_, rest->end);
    if (!form && !prefixed && stands_alone(before)) form = Form::text;
    if (!form) return at + 7;
    take(at, *rest, name.substr(0, name.find('.')) + "/" + std::string(digits), *form);
    return rest->end;
  }

  static bool known(std::string_view name) {
    return is_category(name) && is_archive(name.substr(0, name.find('.')));
  }

  // A badge writes one dash as two.
  static void write_dashes_once(std::string& name) {
    for (std::size_t d; (d = name.find("--")) != std::string::npos;) name.erase(d, 1);
  }

  // Where the archive begins: in a badge, behind other words, "badge/arXiv-hep--th".
  static std::optional<std::size_t> behind_other_words(std::string_view name) {
    std::size_t skip = 0;
    while (!known(name.substr(skip))) {
      const std::size_t dash = name.find_first_of("-.", skip);
      if (dash == std::string_view::npos) return std::nullopt;
      skip = dash + 1;
    }
    return skip;
  }

  // Looks at no more than an archive has characters: paths have many such numbers.
  bool may_be_behind_an_archive(std::size_t at) const {
    const Before window(text_, at, 32);
    if (!ends(window.text(), "/")) return false;
    std::string name(archive_before(window.text()));
    write_dashes_once(name);
    return behind_other_words(name).has_value();
  }

  // 2017arXiv170603762V
  void ads_bibcode(std::size_t at) {
    if (at < 9 || !valid_new(text_.substr(at, 4), text_.substr(at + 4, 5), latest_)) return;
    const auto rest = tail(text_, at + 9, true);
    const Before window(text_, at);
    if (!rest || rest->end == text_.size() || !letter(text_[rest->end])) return;
    if (ends(window.text(), "arxiv") && after_arxiv(window.text()) && window.text().size() > 5 &&
        digit(window.text()[window.text().size() - 6]))
      take(at, *rest, std::string(text_.substr(at, 4)) + "." + std::string(text_.substr(at + 4, 5)),
           Form::link);
  }

  void take(std::size_t at, const Tail& rest, std::string canonical, Form form) {
    text_end_ = form == Form::text ? rest.end : 0;
    done_ = !found_({{std::move(canonical), rest.version}, at, rest.end, form});
  }

  std::string_view text_;
  const Month& latest_;
  const std::function<bool(Found&&)>& found_;
  std::size_t text_end_ = 0;  // of the latest found, if it was text
  bool done_ = false;
};

}  // namespace

void find(std::string_view text, const Month& latest,
          const std::function<bool(Found&& found)>& found) {
  Search search(text, latest, found);
  for (std::size_t at = 0; !search.done();) {
    const std::size_t from = at;
    at = next_digit(text, at);
    if (at == text.size()) return;
    if (at >= from + 2 && encoded(text, at - 2))
      at += 1;
    else if (at >= from + 1 && encoded(text, at - 1))
      at += 2;
    else
      at = search.number(at);
  }
}

bool has_id(std::string_view text, const Month& latest) {
  bool any = false;
  find(text, latest, [&any](Found&&) {
    any = true;
    return false;
  });
  return any;
}

}  // namespace tanggul::readers::arxiv
