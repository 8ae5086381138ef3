#include "registry/sql/query_text.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace tanggul::registry::sql {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// One pass over the text, which is cut into quoted parts and the statement itself.
class Scan {
 public:
  Scan(std::string_view text, const std::vector<std::string>& parameters)
      : text_(text), parameters_(parameters), used_(parameters.size()) {}

  std::optional<std::string> fault() {
    while (at_ < text_.size() && wrong_.empty()) step();
    if (!wrong_.empty()) return wrong_;
    constexpr std::array kReading = {"select", "with", "values", "table"};
    if (std::find(kReading.begin(), kReading.end(), first_) == kReading.end())
      return "does not read; write one SELECT";
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i])
        return "never uses " + parameters_[i] + "; bind it as $" + std::to_string(i + 1);
    return std::nullopt;
  }

 private:
  void step() {
    const char c = text_[at_];
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("--")) return skip_to("\n");
    if (rest.starts_with("/*")) return skip_comment();
    if (is_blank(c)) {
      ++at_;
      return;
    }
    if (ended_) {
      wrong_ = "is more than one statement; write one";
      return;
    }
    if (c == '\'' || c == '"' || c == '`') return skip_quoted(c);
    if (c == '$') return dollar();
    if (c == ';') ended_ = true;
    if (c == '{' || c == '}') {
      wrong_ = "splices a value into its text; values are bound, write $1";
      return;
    }
    const bool named = (c == ':' || c == '@') && rest.size() > 1 && at_ > 0 && begins_a_word() &&
                       known(word_at(at_ + 1));
    if (named) {
      wrong_ =
          "names a parameter by " + std::string(1, c) + "; values are bound by number, write $1";
      return;
    }
    if (is_word(c)) return word();
    ++at_;
  }

  void word() {
    const std::string_view whole = word_at(at_);
    if (first_.empty()) first_ = to_lower(whole);
    at_ += whole.size();
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '$')) ++at_;  // foo$bar
  }

  // Not the second colon of a cast, nor the one between the bounds of a slice.
  bool begins_a_word() const {
    const char before = text_[at_ - 1];
    return before != text_[at_] && !is_word(before) && before != ']' && before != ')';
  }

  // $1, or the beginning of a dollar quote: $$ … $$, $tag$ … $tag$.
  void dollar() {
    const std::string_view word = word_at(at_ + 1);
    const std::size_t end = at_ + 1 + word.size();
    if (!word.empty() && is_digit(word.front())) {
      const auto number = parse_decimal(word);
      if (!number || word.front() == '0' || *number > parameters_.size()) {
        wrong_ = "uses $" + std::string(word) + ", and there " + how_many();
        return;
      }
      used_[*number - 1] = true;
      at_ = end;
    } else if (end < text_.size() && text_[end] == '$') {
      const std::string mark(text_.substr(at_, end + 1 - at_));
      const std::size_t close = text_.find(mark, end + 1);
      quoted(text_.substr(end + 1, std::min(close, text_.size()) - end - 1));
      at_ = close == std::string_view::npos ? text_.size() : close + mark.size();
    } else {
      wrong_ = "splices a value into its text; values are bound, write $1";
    }
  }

  std::string how_many() const {
    if (parameters_.empty()) return "is none; write it as {…} into mount, or into params";
    if (parameters_.size() == 1) return "is one parameter";
    return "are " + std::to_string(parameters_.size()) + " parameters";
  }

  void skip_quoted(char quote) {
    const bool escapes = quote == '\'' && at_ > 0 && ascii_lower(text_[at_ - 1]) == 'e' &&
                         (at_ == 1 || !is_word(text_[at_ - 2]));
    std::size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
      if (escapes && text_[end] == '\\') {
        ++end;
      } else if (text_[end] == quote) {
        if (end + 1 == text_.size() || text_[end + 1] != quote) break;
        ++end;
      }
    }
    end = std::min(end, text_.size());
    if (!is_path(end)) quoted(text_.substr(at_ + 1, end - at_ - 1));
    if (end == text_.size() && wrong_.empty()) wrong_ = "has a quote that does not end";
    at_ = end + 1;
  }

  // '{a,b}' after #> and the like, or before a cast, is a list of names and no place for values.
  bool is_path(std::size_t end) const {
    const std::string_view before = trimmed(text_.substr(0, at_));
    const std::string_view after = text_.substr(std::min(end + 1, text_.size()));
    return before.ends_with("#>") || before.ends_with("#>>") || before.ends_with("#-") ||
           after.starts_with("::");
  }
  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
  }

  // Nothing is bound within quotes: who names a parameter there means to splice it.
  void quoted(std::string_view inside) {
    for (const std::string& name : parameters_)
      if (inside.find("{" + name + "}") != std::string_view::npos)
        wrong_ = "splices {" + name + "} into a string; values are bound, write $1 || '…'";
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string mark = "$" + std::to_string(i + 1);
      const std::size_t at = inside.find(mark);
      if (at == std::string_view::npos) continue;
      const std::size_t after = at + mark.size();
      if (after < inside.size() && is_word(inside[after])) continue;
      wrong_ = "has " + mark + " within quotes, where nothing is bound; write " + mark + " || '…'";
    }
  }

  void skip_to(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  void skip_comment() {  // they nest
    int depth = 0;
    do {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("/*")) {
        ++depth;
        at_ += 2;
      } else if (rest.starts_with("*/")) {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    } while (depth > 0 && at_ < text_.size());
  }

  bool known(std::string_view word) const {
    return std::find(parameters_.begin(), parameters_.end(), word) != parameters_.end();
  }
  std::string_view word_at(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(std::min(at, text_.size()), end - std::min(at, end));
  }

  const std::string_view text_;
  const std::vector<std::string>& parameters_;
  std::vector<bool> used_;
  std::size_t at_ = 0;
  std::string first_, wrong_;
  bool ended_ = false;
};

}  // namespace

std::optional<std::string> fault_of(std::string_view text,
                                    const std::vector<std::string>& parameters) {
  return Scan(text, parameters).fault();
}

}  // namespace tanggul::registry::sql
