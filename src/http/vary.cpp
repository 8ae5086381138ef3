#include "http/vary.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"

namespace tanggul::http {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

// White space outside quotes: none beside a comma or semicolon, one where it separates words.
std::string normalised(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  bool quoted = false;
  bool gap = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (quoted) {
      out += c;
      if (c == '\\' && i + 1 < value.size())
        out += value[++i];
      else if (c == '"')
        quoted = false;
      continue;
    }
    if (is_space(c)) {
      gap = true;
      continue;
    }
    const bool separator = c == ',' || c == ';';
    const bool after_separator = out.empty() || out.back() == ',' || out.back() == ';';
    if (gap && !separator && !after_separator) out += ' ';
    gap = false;
    if (c == ',' && (out.empty() || out.back() == ',')) continue;  // an empty member
    out += c;
    quoted = c == '"';
  }
  if (!quoted && !out.empty() && out.back() == ',') out.pop_back();
  return out;
}

// Language tags are without case (RFC 5646 2.1.1), and of a list only the weights count, not its
// order (RFC 9110 12.5.4): heaviest first, in the order of their names.
std::string normalised_languages(std::string_view value) {
  std::string lower = to_lower(value);
  std::vector<std::pair<double, std::string>> ranges;
  for (const auto member : list_members(lower)) {
    const auto semicolon = std::min(member.find(';'), member.size());
    std::string_view weight = trim(member.substr(std::min(semicolon + 1, member.size())));
    double q = 1;
    if (semicolon < member.size()) {
      if (!weight.starts_with("q=")) return lower;
      weight.remove_prefix(2);
      const auto [end, error] = std::from_chars(weight.data(), weight.data() + weight.size(), q);
      if (error != std::errc() || end != weight.data() + weight.size()) return lower;
    }
    ranges.emplace_back(-q, std::string(trim(member.substr(0, semicolon))));
  }
  std::sort(ranges.begin(), ranges.end());
  std::string out;
  for (const auto& [q, tag] : ranges) out.append(tag).append(";").append(std::to_string(-q)) += ',';
  return out;
}

void append_sized(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

template <class Request>
std::string values(const std::vector<std::string>& names, const Request& request) {
  std::string key;
  for (const auto& name : names) {
    append_sized(key, name);
    if (request.has(name))
      append_sized(key, name == "accept-language"
                            ? normalised_languages(normalised(request.joined(name)))
                            : normalised(request.joined(name)));
    else
      key += '-';  // absent is not the same as empty
  }
  return key;
}

}  // namespace

std::vector<std::string> vary_names(const Headers& response) {
  const std::string joined = response.joined("vary");
  std::vector<std::string> names;
  for (const auto member : list_members(joined)) {
    if (member == "*") return {"*"};
    names.push_back(to_lower(member));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() > kMostVaryNames) return {"*"};
  return names;
}

std::string vary_values(const std::vector<std::string>& names, const RequestHead& request) {
  return values(names, request);
}
std::string vary_values(const std::vector<std::string>& names, const Headers& request) {
  return values(names, request);
}

}  // namespace tanggul::http
