#include "readers/arxiv/finder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "readers/arxiv/before.h"
#include "readers/arxiv/form.h"
#include "readers/text/ascii.h"
#include "readers/text/eight_bytes.h"

namespace tanggul::readers::arxiv {
namespace {

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
  for (; at + 8 <= text.size(); at += 8) {
    const std::uint64_t eight = eight_bytes(text, at);
    const std::uint64_t low = eight & ~kHighBits;  // no sum reaches into the next byte
    const std::uint64_t from_0 = low + kOnes * (0x80 - '0'), above_9 = low + kOnes * (0x7f - '9');
    if ((from_0 & ~above_9 & ~eight & kHighBits) != 0) break;
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
      if (before.ends_with("/abs-") || before == "abs-") form = Form::link;
    } else if (ads) {
      if (before.ends_with("arxiv") && after_arxiv(before) && before.size() > 5 &&
          digit(before[before.size() - 6]))
        form = Form::link;
    } else {
      form = form_by(before, text_, rest.end);
      if (!form && category_behind(text_, rest.end) && stands_alone(before)) form = Form::text;
      if (!form && before.ends_with("/") && !archive_before(before).empty() &&
          is_category(archive_before(before)) && !in_other_doi(before))
        form = Form::text;
    }
    if (form) take(at, rest, std::move(canonical), *form);
  }

  static bool stands_alone(std::string_view before) {
    while (before.ends_with('_')) before.remove_suffix(1);  // of emphasis, if no name goes on there
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
    if (!before.ends_with("/") || in_other_doi(before)) return at + 7;
    std::string name(archive_before(before));
    const std::size_t as_written = name.size();
    if (in_badge(before)) write_dashes_once(name);
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
    if (!window.text().ends_with("/")) return false;
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
    if (window.text().ends_with("arxiv") && after_arxiv(window.text()) &&
        window.text().size() > 5 && digit(window.text()[window.text().size() - 6]))
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
