#include "http/conditional.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "http/date.h"

namespace tanggul::http {
namespace {

bool is_weak(std::string_view tag) { return tag.starts_with("W/"); }
std::string_view opaque(std::string_view tag) { return is_weak(tag) ? tag.substr(2) : tag; }

// Takes the first entity tag off a list. Within its quotes a backslash is itself (RFC 9110 8.8.3),
// so a quoted-string's rules would find another end. A tag without quotes ends at the comma.
std::string_view take_tag(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t,"), rest.size()));
  const std::size_t open = is_weak(rest) ? 2 : 0;
  std::size_t end = std::string_view::npos;
  if (rest.substr(open).starts_with('"')) end = rest.find('"', open + 1);
  end = end == std::string_view::npos ? std::min(rest.find(','), rest.size()) : end + 1;
  const auto tag = trim(rest.substr(0, end));
  rest.remove_prefix(end);
  return tag;
}

template <class Equal>
bool any_tag(std::string_view list, std::string_view etag, Equal equal) {
  if (trim(list) == "*") return true;
  etag = trim(etag);
  if (etag.empty()) return false;
  while (!list.empty()) {
    const auto tag = take_tag(list);
    if (!tag.empty() && equal(tag, etag)) return true;
  }
  return false;
}

std::optional<WallTime> date_of(const Headers& headers, std::string_view name) {
  return headers.has(name) ? parse_date(headers.joined(name)) : std::nullopt;
}
// Two lines joined are no date, and then the precondition is to be ignored (RFC 9110 13.1.3).
std::optional<WallTime> date_of(const RequestHead& request, std::string_view name) {
  return request.has(name) ? parse_date(request.joined(name)) : std::nullopt;
}

}  // namespace

bool etag_matches_weak(std::string_view list, std::string_view etag) {
  return any_tag(list, etag, [](auto a, auto b) { return opaque(a) == opaque(b); });
}

bool etag_matches_strong(std::string_view list, std::string_view etag) {
  return any_tag(list, etag, [](auto a, auto b) { return a == b && !is_weak(a); });
}

Condition evaluate(const RequestHead& request, int status, const Headers& stored) {
  if ((status != 200 && status != 206) || (request.method != "GET" && request.method != "HEAD"))
    return Condition::none;
  const std::string_view etag = stored.find("etag").value_or(std::string_view());
  const auto modified = date_of(stored, "last-modified");

  if (request.has("if-match")) {
    if (!etag_matches_strong(request.joined("if-match"), etag)) return Condition::failed;
  } else if (const auto since = date_of(request, "if-unmodified-since")) {
    if (modified && *modified > *since) return Condition::failed;
  }
  if (request.has("if-none-match")) {
    return etag_matches_weak(request.joined("if-none-match"), etag) ? Condition::not_modified
                                                                    : Condition::none;
  }
  if (const auto since = date_of(request, "if-modified-since")) {
    const auto changed = modified ? modified : date_of(stored, "date");
    if (changed && *changed <= *since) return Condition::not_modified;
  }
  return Condition::none;
}

bool if_range_holds(std::string_view value, const Headers& stored) {
  value = trim(value);
  if (value.starts_with('"') || is_weak(value)) {
    const auto etag = stored.find("etag");
    return etag && !is_weak(value) && trim(*etag) == value;
  }
  const auto named = parse_date(value), modified = date_of(stored, "last-modified");
  const auto sent = date_of(stored, "date");
  return named && modified && sent && *named == *modified &&
         *sent - *modified >= std::chrono::seconds(1);
}

}  // namespace tanggul::http
