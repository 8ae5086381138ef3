#include "readers/bibtex/bibtex.h"

#include <algorithm>

#include "base/bytes.h"
#include "readers/text/ascii.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostFields = 64, kLongestValue = 2048, kLongestKey = 256;

constexpr bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f';
}
constexpr bool of_a_name(char c) {
  return letter(c) || digit(c) || c == '_' || c == '-' || c == '+';
}

// "@article {" at `at`, which is an '@': the length of the name; 0: it begins no entry.
std::size_t entry_name(std::string_view text, std::size_t at, std::size_t& open) {
  std::size_t n = 0;
  while (at + 1 + n < text.size() && n < 24 && letter(text[at + 1 + n])) ++n;
  open = at + 1 + n;
  for (std::size_t blanks = 0; open < text.size() && blank(text[open]) && blanks < 16; ++blanks)
    ++open;
  return n > 0 && open < text.size() && (text[open] == '{' || text[open] == '(') ? n : 0;
}

class Parser {
 public:
  Parser(std::string_view text, const std::function<void(const BibEntry&)>& found)
      : text_(text), found_(found) {}

  std::size_t run() {
    while ((at_ = text_.find('@', at_)) != std::string_view::npos) {
      std::size_t open = 0;
      const std::size_t n = entry_name(text_, at_, open);
      if (n == 0) {
        ++at_;
        continue;
      }
      entry(to_lower(text_.substr(at_ + 1, n)), open);
    }
    return broken_;
  }

 private:
  void entry(std::string type, std::size_t open) {
    BibEntry entry;
    entry.begin = at_;
    entry.type = std::move(type);
    at_ = open + 1;
    close_ = text_[open] == '{' ? '}' : ')';
    const bool is_entry =
        entry.type != "comment" && entry.type != "preamble" && entry.type != "string";
    if (is_entry) key(entry);
    while (!over() && text_[at_] != close_) field(entry);
    if (over()) {
      ++broken_;
      entry.broken = true;
      read_lines(entry);
    } else {
      ++at_;
    }
    entry.end = at_;
    // An address, "user@host (see …", is no entry: that has a key, of one word, or fields.
    const bool has_key = !entry.key.empty() && entry.key.find(' ') == std::string::npos;
    if (is_entry && (has_key || !entry.fields.empty())) found_(entry);
  }

  // A brace is missing somewhere: fields are what begins on a line of its own.
  void read_lines(BibEntry& entry) const {
    entry.fields.clear();
    std::string_view rest = text_.substr(entry.begin, at_ - entry.begin);
    while (!rest.empty() && entry.fields.size() < kMostFields) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      // On the first line the entry's type and key stand before it.
      std::size_t name_end = equals;
      while (name_end > 0 && blank(line[name_end - 1])) --name_end;
      std::size_t begin = name_end;
      while (begin > 0 && name_end - begin < 64 && of_a_name(line[begin - 1])) --begin;
      std::string name = to_lower(line.substr(begin, name_end - begin));
      std::string value;
      for (const char c : line.substr(equals + 1))
        if (c != '{' && c != '}' && c != '"') put(value, c);
      while (value.ends_with(' ') || value.ends_with(',')) value.pop_back();
      if (!name.empty()) entry.fields.emplace_back(std::move(name), std::move(value));
    }
  }

  // The text ends here, or another entry begins on this line.
  bool over() const {
    if (at_ >= text_.size()) return true;
    std::size_t open = 0;
    return text_[at_] == '@' && at_ > 0 && text_[at_ - 1] == '\n' &&
           entry_name(text_, at_, open) > 0;
  }

  void skip_blanks() {
    while (!over() && (blank(text_[at_]) || text_[at_] == ',')) ++at_;
  }

  void key(BibEntry& entry) {
    skip_blanks();
    const std::size_t begin = at_;
    while (!over() && text_[at_] != ',' && text_[at_] != close_ && text_[at_] != '=' &&
           text_[at_] != '\n' && at_ - begin < kLongestKey)
      ++at_;
    if (!over() && text_[at_] == '=') {
      at_ = begin;  // there is no key: this is a field
      return;
    }
    std::string_view name = text_.substr(begin, at_ - begin);
    while (!name.empty() && blank(name.back())) name.remove_suffix(1);
    entry.key = name;
  }

  void field(BibEntry& entry) {
    skip_blanks();
    if (over() || text_[at_] == close_) return;
    const std::size_t begin = at_;
    while (!over() && of_a_name(text_[at_])) ++at_;
    const std::string name = to_lower(text_.substr(begin, std::min<std::size_t>(at_ - begin, 64)));
    while (!over() && blank(text_[at_])) ++at_;
    if (over()) return;
    if (text_[at_] != '=' || name.empty()) {
      if (at_ == begin || text_[at_] != close_) ++at_;
      return;
    }
    ++at_;
    std::string text = value();
    if (entry.fields.size() < kMostFields) entry.fields.emplace_back(name, std::move(text));
  }

  // {…}, "…", a word, or several with '#' between.
  std::string value() {
    std::string out;
    for (bool more = true; more;) {
      while (!over() && blank(text_[at_])) ++at_;
      if (over()) break;
      if (text_[at_] == '{')
        braced(out);
      else if (text_[at_] == '"')
        quoted(out);
      else
        bare(out);
      while (!over() && blank(text_[at_])) ++at_;
      more = !over() && text_[at_] == '#';
      if (more) ++at_;
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
  }

  void put(std::string& out, char c) const {
    if (blank(c)) {
      if (out.empty() || out.back() == ' ') return;
      c = ' ';
    }
    if (out.size() < kLongestValue) out += c;
  }

  void braced(std::string& out) {
    int depth = 1;
    for (++at_; !over(); ++at_) {
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}' && --depth == 0) {
        ++at_;
        return;
      }
      put(out, text_[at_]);
    }
  }

  void quoted(std::string& out) {
    int depth = 0;
    for (++at_; !over(); ++at_) {
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}' && depth > 0) --depth;
      if (text_[at_] == '"' && depth == 0) {
        ++at_;
        return;
      }
      put(out, text_[at_]);
    }
  }

  void bare(std::string& out) {
    while (!over() && text_[at_] != ',' && text_[at_] != close_ && text_[at_] != '#' &&
           text_[at_] != '\n')
      put(out, text_[at_++]);
    while (out.ends_with(' ')) out.pop_back();
  }

  std::string_view text_;
  const std::function<void(const BibEntry&)>& found_;
  std::size_t at_ = 0, broken_ = 0;
  char close_ = '}';
};

bool names_arxiv(std::string_view text) {
  const std::string all = to_lower(text);
  const std::size_t at = all.find("arxiv");
  if (at != std::string::npos && (at == 0 || !letter(all[at - 1]))) return true;
  return all == "corr" || all.find("computing research repository") != std::string::npos;
}

void add(std::vector<arxiv::Id>& ids, std::optional<arxiv::Id> id) {
  if (id && std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(std::move(*id));
}

}  // namespace

std::string_view BibEntry::field(std::string_view name) const {
  for (auto it = fields.rbegin(); it != fields.rend(); ++it)
    if (it->first == name) return it->second;
  return {};
}

bool has_bibtex(std::string_view text) {
  std::size_t open = 0;
  for (std::size_t at = 0; (at = text.find('@', at)) != std::string_view::npos; ++at)
    if (entry_name(text, at, open) > 0) return true;
  return false;
}

std::size_t read_bibtex(std::string_view text, const std::function<void(const BibEntry&)>& found) {
  return Parser(text, found).run();
}

std::vector<arxiv::Id> eprints(const BibEntry& entry, const arxiv::Month& latest) {
  std::vector<arxiv::Id> ids;
  std::string_view prefix = entry.field("archiveprefix");
  if (prefix.empty()) prefix = entry.field("eprinttype");
  const std::string_view eprint = entry.field("eprint");
  if (!eprint.empty() && (prefix.empty() || names_arxiv(prefix))) {
    add(ids, arxiv::parse(eprint, latest));
    std::string_view archive = entry.field("primaryclass");
    if (archive.empty()) archive = entry.field("eprintclass");
    if (!archive.empty())
      add(ids, arxiv::parse(std::string(archive) + "/" + std::string(eprint), latest));
  }
  for (const char* venue : {"journal", "booktitle", "publisher", "howpublished", "archiveprefix"}) {
    if (!names_arxiv(entry.field(venue))) continue;
    for (const char* number : {"volume", "number", "pages", "eid", "note", "article-number"})
      add(ids, arxiv::parse(entry.field(number), latest));
  }
  return ids;
}

std::string plain_title(std::string_view title) {
  std::string out;
  for (std::size_t at = 0; at < title.size(); ++at) {
    const char c = title[at];
    if (c == '\\' && at + 1 < title.size()) {
      if (letter(title[at + 1]))
        while (at + 1 < title.size() && letter(title[at + 1])) ++at;
      else
        ++at;
    } else if (c != '{' && c != '}' && c != '$') {
      out += c == '~' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace tanggul::readers
