#include "tanggul/http/cache_control.h"

#include "base/bytes.h"
#include "http/delta_seconds.h"

namespace tanggul::http {
namespace {

using Seconds = std::optional<std::chrono::seconds>;

struct Directive {
  std::string name;
  std::optional<std::string_view> argument;  // as it stands, quotes and all
};

// Splits at commas outside quotes. A quote that is never closed quotes nothing: a no-store behind
// it must still be seen.
class Directives {
 public:
  explicit Directives(std::string_view rest) : rest_(rest) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    std::size_t i = 0;
    for (; i < rest_.size() && rest_[i] != ','; ++i)
      if (rest_[i] == '"' && quotes_close_) i = skip_quoted(i);
    const auto member = trim(rest_.substr(0, i));
    rest_.remove_prefix(std::min(i + 1, rest_.size()));
    return member;
  }

 private:
  std::size_t skip_quoted(std::size_t open) {
    for (std::size_t i = open + 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\')
        ++i;
      else if (rest_[i] == '"')
        return i;
    }
    quotes_close_ = false;  // nor will a later one: the whole rest was searched
    return open;
  }

  std::string_view rest_;
  bool quotes_close_ = true;
};

Directive split(std::string_view member) {
  const auto equals = member.find('=');
  if (equals == std::string_view::npos) return {to_lower(member), std::nullopt};
  return {to_lower(trim(member.substr(0, equals))), member.substr(equals + 1)};
}

Seconds number(const Directive& d) {
  return d.argument ? parse_delta_seconds(unquoted(*d.argument)) : std::nullopt;
}

void read_age(const Directive& d, Seconds& age, bool& invalid) {
  const bool again = age.has_value();
  const auto value = number(d);
  if (again || !value) invalid = true;
  if (!again) age = value;
}

void read_first(const Directive& d, Seconds& to) {
  if (!to) to = number(d);
}

// Without an argument that names a field, the directive is about the whole response.
void read_qualified(const Directive& d, bool& whole, std::vector<std::string>& fields) {
  const auto names = list_members(d.argument ? unquoted(*d.argument) : std::string_view());
  if (names.empty()) whole = true;
  for (const auto name : names) fields.push_back(to_lower(name));
}

void read_max_stale(const Directive& d, Seconds& to) {
  if (to) return;
  to = d.argument ? number(d) : Seconds(std::chrono::seconds::max());
}

bool* flag(CacheControl& cc, std::string_view name) {
  const std::pair<std::string_view, bool*> flags[] = {
      {"no-store", &cc.no_store},
      {"public", &cc.is_public},
      {"must-revalidate", &cc.must_revalidate},
      {"proxy-revalidate", &cc.proxy_revalidate},
      {"must-understand", &cc.must_understand},
      {"immutable", &cc.immutable},
      {"only-if-cached", &cc.only_if_cached},
      {"no-transform", &cc.no_transform},
  };
  for (const auto& [known, member] : flags)
    if (known == name) return member;
  return nullptr;
}

void read(const Directive& d, CacheControl& cc) {
  if (bool* const set = flag(cc, d.name)) {
    *set = true;
  } else if (d.name == "no-cache") {
    read_qualified(d, cc.no_cache, cc.no_cache_fields);
  } else if (d.name == "private") {
    read_qualified(d, cc.is_private, cc.private_fields);
  } else if (d.name == "max-age") {
    read_age(d, cc.max_age, cc.invalid_age);
  } else if (d.name == "s-maxage") {
    read_age(d, cc.s_maxage, cc.invalid_age);
  } else if (d.name == "stale-while-revalidate") {
    read_first(d, cc.stale_while_revalidate);
  } else if (d.name == "stale-if-error") {
    read_first(d, cc.stale_if_error);
  } else if (d.name == "min-fresh") {
    read_first(d, cc.min_fresh);
  } else if (d.name == "max-stale") {
    read_max_stale(d, cc.max_stale);
  }
}

}  // namespace

CacheControl parse_cache_control(std::string_view joined_value) {
  CacheControl cc;
  Directives directives(joined_value);
  while (const auto member = directives.next()) {
    if (member->empty()) continue;
    cc.present = true;
    read(split(*member), cc);
  }
  return cc;
}

CacheControl request_cache_control(const RequestHead& request) {
  auto cc = parse_cache_control(request.joined("cache-control"));
  if (cc.present || !request.has("pragma")) return cc;
  cc.no_cache = parse_cache_control(request.joined("pragma")).no_cache;
  return cc;
}

}  // namespace tanggul::http
