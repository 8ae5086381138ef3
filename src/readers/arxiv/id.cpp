#include "readers/arxiv/id.h"

#include <algorithm>
#include <array>

#include "readers/text/ascii.h"

namespace tanggul::readers::arxiv {
namespace {

// arXiv's own list (arxiv-base, taxonomy/definitions: archives and those subsumed by others).
constexpr std::array<std::string_view, 38> kArchives = {
    "acc-phys", "adap-org", "alg-geom", "ao-sci",   "astro-ph", "atom-ph", "bayes-an", "chao-dyn",
    "chem-ph",  "cmp-lg",   "comp-gas", "cond-mat", "cs",       "dg-ga",   "funct-an", "gr-qc",
    "hep-ex",   "hep-lat",  "hep-ph",   "hep-th",   "math",     "math-ph", "mtrl-th",  "nlin",
    "nucl-ex",  "nucl-th",  "patt-sol", "physics",  "plasm-ph", "q-alg",   "q-bio",    "quant-ph",
    "solv-int", "supr-con", "eess",     "econ",     "q-fin",    "stat"};
// The last four came after the old scheme: they name categories, never papers.
constexpr std::size_t kOfPapers = 34;

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == y; });
}

bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), digit); }

int two(std::string_view digits) { return (digits[0] - '0') * 10 + (digits[1] - '0'); }

bool among(std::string_view name, std::size_t count) {
  return std::any_of(kArchives.begin(), kArchives.begin() + static_cast<std::ptrdiff_t>(count),
                     [name](std::string_view known) { return same(name, known); });
}

bool is_class(std::string_view text) {
  return text.size() >= 2 && text.size() <= 12 &&
         std::all_of(text.begin(), text.end(), [](char c) { return letter(c) || c == '-'; });
}

// Takes "v3" from the end. False: there is a version, and it is none.
bool take_version(std::string_view& text, unsigned& version) {
  const std::size_t v = text.find_last_of("vV");
  if (v == std::string_view::npos || v + 1 == text.size() || !all_digits(text.substr(v + 1)))
    return true;
  const std::string_view digits = text.substr(v + 1);
  if (digits.size() > 3 || digits[0] == '0') return false;
  version = 0;
  for (const char c : digits) version = version * 10 + static_cast<unsigned>(c - '0');
  text = text.substr(0, v);
  return true;
}

}  // namespace

bool valid_new(std::string_view yymm, std::string_view sequence, const Month& latest) {
  if (yymm.size() != 4 || !all_digits(yymm) || !all_digits(sequence)) return false;
  const int year = two(yymm), month = two(yymm.substr(2));
  if (month < 1 || month > 12 || year < 7 || (year == 7 && month < 4)) return false;
  if (sequence.size() != (year < 15 ? 4 : 5)) return false;
  if (sequence.find_first_not_of('0') == std::string_view::npos) return false;
  return Month{2000 + year, month} <= latest;
}

bool valid_old(std::string_view digits) {
  if (digits.size() != 7 || !all_digits(digits)) return false;
  const int year = two(digits), month = two(digits.substr(2));
  if (month < 1 || month > 12 || digits.substr(4) == "000") return false;
  if (year >= 91) return year > 91 || month >= 7;
  return year < 7 || (year == 7 && month <= 3);
}

bool is_archive(std::string_view name) { return among(name, kOfPapers); }

bool is_category(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (!among(name.substr(0, dot), kArchives.size())) return false;
  return dot == std::string_view::npos || is_class(name.substr(dot + 1));
}

std::optional<Id> parse(std::string_view text, const Month& latest) {
  if (text.size() > 6 && same(text.substr(0, 6), "arxiv:")) text.remove_prefix(6);
  if (text.size() > 40) return std::nullopt;
  Id id;
  if (!take_version(text, id.version)) return std::nullopt;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    if (text.size() < 9 || text[4] != '.') return std::nullopt;
    if (!valid_new(text.substr(0, 4), text.substr(5), latest)) return std::nullopt;
    id.canonical = text;
    return id;
  }
  const std::string_view archive = text.substr(0, std::min(text.find('.'), slash));
  const std::string_view number = text.substr(slash + 1);
  if (!is_category(text.substr(0, slash))) return std::nullopt;
  if (number.size() >= 9 && number[4] == '.') {  // the class before a new number, seen in the wild
    if (!valid_new(number.substr(0, 4), number.substr(5), latest)) return std::nullopt;
    id.canonical = number;
    return id;
  }
  if (!is_archive(archive) || !valid_old(number)) return std::nullopt;
  std::transform(archive.begin(), archive.end(), std::back_inserter(id.canonical), lower);
  id.canonical += '/';
  id.canonical += number;
  return id;
}

}  // namespace tanggul::readers::arxiv
