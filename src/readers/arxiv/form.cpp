#include "readers/arxiv/form.h"

#include <algorithm>
#include <array>

#include "readers/arxiv/id.h"
#include "readers/text/ascii.h"

namespace tanggul::readers::arxiv {
namespace {

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
                         : url.ends_with(site.end))
      return true;
  }
  return url.find("xxx.") != std::string_view::npos &&
         (url.ends_with("/abs/") || url.ends_with("/pdf/"));
}

// Of a URL with a scheme: is its host, without port and user, this one or below it?
bool is_host(std::string_view url, std::string_view host) {
  std::string_view of_url = url.substr(url.find("://") + 3);
  of_url = of_url.substr(0, of_url.find('/'));
  of_url = of_url.substr(of_url.rfind('@') + 1);
  of_url = of_url.substr(0, of_url.find(':'));
  if (!of_url.ends_with(host)) return false;
  of_url.remove_suffix(host.size());
  return of_url.empty() || of_url.ends_with('.');
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

}  // namespace

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

bool in_other_doi(std::string_view before) {
  const std::string_view url = token(before, " \"'`<>[]{}|,;\x01");
  const std::size_t at = url.find("10.");
  if (at == std::string_view::npos || (at > 0 && digit(url[at - 1]))) return false;
  const std::size_t n = digits_from(url, at + 3);
  const std::string_view rest = url.substr(at + 3 + n);
  return n >= 4 && n <= 9 && rest.starts_with('/') && url.substr(at + 3, n) != "48550" &&
         rest.find("arxiv:") == std::string_view::npos;
}

bool in_badge(std::string_view before) { return is_badge(token(before, kApart)); }

std::optional<Form> form_by(std::string_view before, std::string_view text, std::size_t end) {
  if (in_other_doi(before)) return std::nullopt;
  if (before.ends_with("10.48550/arxiv.")) return Form::doi;
  const std::string_view url = token(before, kApart);
  const bool badge = is_badge(url);
  if (badge && (url.find("arxiv") != std::string_view::npos || arxiv_behind(text, end)))
    return Form::badge;
  const bool link = url.find('/') != std::string_view::npos;
  if (!url.empty() && on_a_site(url)) return Form::link;
  const bool other_host = url.find("://") != std::string_view::npos && !is_host(url, "arxiv.org") &&
                          !is_host(url, "harvard.edu");
  if (url.ends_with("abs/") && at_a_word(url.substr(0, url.size() - 4)) && !other_host)
    return Form::link;
  if (url.find("rxiv.org/") != std::string_view::npos &&
      url.find("/arxiv.org/") == std::string_view::npos &&
      url.find(".arxiv.org/") == std::string_view::npos && url.ends_with("abs/"))
    return std::nullopt;
  if (after_arxiv(before)) return link ? Form::link : Form::text;
  return std::nullopt;
}

}  // namespace tanggul::readers::arxiv
