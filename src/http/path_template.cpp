#include "http/path_template.h"

#include <algorithm>

namespace tanggul::http {
namespace {

bool is_name(std::string_view text) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), word);
}

bool is_plain(std::string_view segment) {
  constexpr std::string_view kForbidden = "?#%\\\"'<>{}";
  return !segment.empty() && segment != "." && segment != ".." &&
         segment.find_first_of(kForbidden) == std::string_view::npos &&
         std::all_of(segment.begin(), segment.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

std::optional<PathTemplate> PathTemplate::parse(std::string_view text, std::string& wrong) {
  const auto refuse = [&](std::string why) {
    wrong = std::move(why);
    return std::nullopt;
  };
  if (!text.starts_with('/') || text == "/")
    return refuse("is no path; write one like /products/{id}");
  PathTemplate out;
  out.text_ = text;
  std::string before = "/";
  for (std::size_t at = 1; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string_view segment = text.substr(at, end - at);
    const bool placeholder = segment.starts_with('{') && segment.ends_with('}');
    if (placeholder) {
      const std::string_view name = segment.substr(1, segment.size() - 2);
      if (!is_name(name))
        return refuse("has a placeholder without a proper name; write one like {id}");
      if (std::find(out.names_.begin(), out.names_.end(), name) != out.names_.end())
        return refuse("has the same placeholder twice; give each a name of its own");
      if (out.names_.size() == kMostPlaceholders)
        return refuse("has too many placeholders; 8 are the most");
      out.names_.emplace_back(name);
      out.parts_.push_back({});
    } else if (segment.find_first_of("{}") != std::string_view::npos) {
      return refuse("has a placeholder that is no whole segment; write one like /products/{id}");
    } else if (!is_plain(segment)) {
      return refuse("is no path; write one like /products/{id}");
    } else {
      out.literal_ += segment.size() + 1;
      // The last segment stays a part, so that a path without placeholders is matched whole.
      const bool last = end == text.size();
      if (out.parts_.empty() && !last) {
        before.append(segment).append("/");
      } else {
        out.parts_.push_back({std::string(segment)});
      }
    }
    at = end + 1;
  }
  out.prefix_ = std::move(before);
  return out;
}

std::string PathTemplate::shape() const {
  std::string out = prefix_;
  for (const Part& part : parts_)
    out.append(part.literal.empty() ? "{}" : part.literal).append("/");
  return out;
}

bool PathTemplate::match(std::string_view rest, Segments& segments) const noexcept {
  std::size_t found = 0;
  for (const Part& part : parts_) {
    if (!rest.starts_with('/')) return false;
    rest.remove_prefix(1);
    const std::string_view segment = rest.substr(0, rest.find('/'));
    if (segment.empty()) return false;
    if (part.literal.empty()) {
      segments[found++] = segment;
    } else if (segment != part.literal) {
      return false;
    }
    rest.remove_prefix(segment.size());
  }
  return rest.empty();
}

void PathTemplate::append(const std::vector<std::string>& segments, std::string& out) const {
  std::size_t next = 0;
  for (const Part& part : parts_)
    out.append("/").append(part.literal.empty() ? segments[next++] : part.literal);
}

}  // namespace tanggul::http
