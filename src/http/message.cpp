#include "tanggul/http/message.h"

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::http {
namespace {

template <class Lines>
std::optional<std::string_view> find_in(const Lines& lines, std::string_view name) {
  for (const auto& line : lines)
    if (iequals(line.name, name)) return std::string_view(line.value);
  return std::nullopt;
}

template <class Lines>
std::string join_in(const Lines& lines, std::string_view name) {
  std::string out;
  for (const auto& line : lines) {
    if (!iequals(line.name, name)) continue;
    if (!out.empty()) out += ", ";
    out += line.value;
  }
  return out;
}

}  // namespace

void Headers::add(std::string_view name, std::string_view value) {
  lines_.push_back({std::string(name), std::string(value)});
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Headers::remove(std::string_view name) {
  std::erase_if(lines_, [&](const Header& h) { return iequals(h.name, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  return find_in(lines_, name);
}
std::string Headers::joined(std::string_view name) const { return join_in(lines_, name); }

std::optional<std::string_view> RequestHead::find(std::string_view name) const {
  return find_in(headers, name);
}
std::string RequestHead::joined(std::string_view name) const { return join_in(headers, name); }

std::string_view reason_phrase(int status) noexcept {
  switch (status) {
    case 102:
      return "Processing";
    case 103:
      return "Early Hints";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 416:
      return "Range Not Satisfiable";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 508:
      return "Loop Detected";
    default:
      return "Status";
  }
}

bool is_hop_by_hop(std::string_view name) noexcept {
  static constexpr std::string_view kNames[] = {
      "connection",
      "keep-alive",
      "proxy-authenticate",
      "proxy-authorization",
      "proxy-connection",
      "te",
      "trailer",
      "transfer-encoding",
      "upgrade",
  };
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view n) { return iequals(n, name); });
}

void strip_hop_by_hop(Headers& headers) {
  const std::string named = headers.joined("connection");
  for (const auto member : list_members(named)) headers.remove(member);
  std::vector<Header> kept;
  for (const Header& h : headers)
    if (!is_hop_by_hop(h.name)) kept.push_back(h);
  headers = Headers(std::move(kept));
}

std::vector<std::string_view> list_members(std::string_view value) {
  std::vector<std::string_view> members;
  bool quoted = false;
  std::size_t start = 0;
  const auto end_member = [&](std::size_t end) {
    const auto member = trim(value.substr(start, end - start));
    if (!member.empty()) members.push_back(member);
    start = end + 1;
  };
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (quoted && value[i] == '\\') {
      ++i;  // the escaped character is not a quote that ends anything
    } else if (value[i] == '"') {
      quoted = !quoted;
    } else if (value[i] == ',' && !quoted) {
      end_member(i);
    }
  }
  end_member(value.size());
  return members;
}

}  // namespace tanggul::http
