#include "http/targeted.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"

namespace tanggul::http {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return is_lower(ascii_lower(c)); }

// The parts of a Dictionary (RFC 8941 4.2.2), taken off the front of a text. What does not parse
// makes the whole field fail.
class Dictionary {
 public:
  struct Value {
    enum class Type { yes, integer, string, other } type = Type::yes;
    std::string text;
  };

  explicit Dictionary(std::string_view text) : rest_(text) {}

  std::optional<std::map<std::string, Value>> parse() {
    std::map<std::string, Value> members;
    skip(" ");
    while (!rest_.empty()) {
      const std::string key = take_key();
      Value value;
      if (eat('=')) value = take_member();
      take_parameters();
      if (bad_) return std::nullopt;
      members[key] = std::move(value);  // the last of a name counts
      skip(" \t");
      if (rest_.empty()) return members;
      if (!eat(',')) return std::nullopt;
      skip(" \t");
      if (rest_.empty()) return std::nullopt;  // a comma at the end
    }
    return members;
  }

 private:
  void skip(std::string_view of) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(of), rest_.size()));
  }
  bool next_is(char c) const { return rest_.starts_with(c); }
  bool eat(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  template <class Belongs>
  std::string_view run(Belongs belongs) {
    std::size_t n = 0;
    while (n < rest_.size() && belongs(rest_[n])) ++n;
    const auto out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }

  std::string take_key() {
    if (rest_.empty() || !(is_lower(rest_.front()) || next_is('*'))) bad_ = true;
    const auto in_key = [](char c) {
      return is_lower(c) || is_digit(c) ||
             std::string_view("_-.*").find(c) != std::string_view::npos;
    };
    return std::string(run(in_key));
  }

  Value take_member() { return eat('(') ? take_list() : take_item(); }

  Value take_list() {
    for (;;) {
      skip(" ");
      if (eat(')')) return {Value::Type::other, ""};
      take_item();
      take_parameters();
      if (bad_ || rest_.empty() || !(next_is(' ') || next_is(')'))) {
        bad_ = true;
        return {};
      }
    }
  }

  Value take_item() {
    if (rest_.empty()) bad_ = true;
    if (bad_) return {};
    const char c = rest_.front();
    if (c == '-' || is_digit(c)) return take_number();
    if (c == '"') return take_string();
    if (c == ':') return take_bytes();
    if (c == '?') return take_boolean();
    if (c == '*' || is_alpha(c)) return take_token();
    bad_ = true;
    return {};
  }

  Value take_number() {
    std::string text = eat('-') ? "-" : "";
    const auto whole = run(is_digit);
    text += whole;
    if (whole.empty() || whole.size() > 15) bad_ = true;
    if (!eat('.')) return {Value::Type::integer, text};
    const auto fraction = run(is_digit);
    if (fraction.empty() || fraction.size() > 3 || whole.size() > 12) bad_ = true;
    return {Value::Type::other, ""};
  }

  Value take_string() {
    std::string text;
    eat('"');
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return {Value::Type::string, text};
      if (c < ' ' || c > '~') break;
      if (c != '\\') {
        text += c;
      } else if (next_is('"') || next_is('\\')) {
        text += rest_.front();
        rest_.remove_prefix(1);
      } else {
        break;
      }
    }
    bad_ = true;
    return {};
  }

  Value take_bytes() {
    eat(':');
    run([](char c) { return is_alpha(c) || is_digit(c) || c == '+' || c == '/' || c == '='; });
    if (!eat(':')) bad_ = true;
    return {Value::Type::other, ""};
  }

  Value take_boolean() {
    eat('?');
    if (eat('1')) return {};
    if (!eat('0')) bad_ = true;
    return {Value::Type::other, ""};
  }

  Value take_token() {
    run([](char c) {
      return is_alpha(c) || is_digit(c) ||
             std::string_view("!#$%&'*+-.^_`|~:/").find(c) != std::string_view::npos;
    });
    return {Value::Type::other, ""};
  }

  void take_parameters() {
    while (!bad_ && eat(';')) {
      skip(" ");
      take_key();
      if (eat('=')) take_item();
    }
  }

  std::string_view rest_;
  bool bad_ = false;
};

bool counts_seconds(std::string_view name) {
  static constexpr std::string_view kNames[] = {"max-age", "s-maxage", "stale-while-revalidate",
                                                "stale-if-error"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

std::optional<std::string> targeted_directives(std::string_view joined_value) {
  using Type = Dictionary::Value::Type;
  const auto members = Dictionary(joined_value).parse();
  if (!members || members->empty()) return std::nullopt;
  std::string out;
  for (const auto& [name, value] : *members) {
    const bool number = value.type == Type::integer && !value.text.starts_with('-');
    const bool fields = value.type == Type::string && (name == "no-cache" || name == "private");
    if (counts_seconds(name) ? !number : value.type != Type::yes && !fields) continue;
    if (!out.empty()) out += ", ";
    out += name;
    if (number) out.append("=").append(value.text);
    if (fields) out.append("=\"").append(value.text).append("\"");
  }
  return out;
}

Headers as_directed(const Headers& response, const std::vector<std::string>& fields) {
  Headers out = response;
  for (const std::string& field : fields) {
    if (!response.has(field)) continue;
    const auto directives = targeted_directives(response.joined(field));
    if (!directives) continue;
    out.remove("expires");
    out.set("Cache-Control", *directives);
    break;
  }
  return out;
}

}  // namespace tanggul::http
