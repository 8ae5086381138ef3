#include "sync/repository/address.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "sync/repository/forge.h"

namespace tanggul::sync {
namespace {

constexpr std::size_t kLongest = 2048, kLongestHost = 253;

Failure no(const char* why) { return {Errc::bad_input, why}; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_unreserved(char c) {  // RFC 3986 2.3
  return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

const char* wrong_with(std::string_view text) {
  if (text.empty()) return "it is empty";
  if (text.size() > kLongest) return "it is longer than 2 KiB";
  if (text.front() == '-') return "it begins with a '-', as options of programs do";
  for (const char c : text) {
    if (c == ' ') return "a space is in it";
    if (c < 0x20 || c > 0x7e) return "a character is in it that is no printable ASCII";
    if (std::string_view("\\\"<>^`{|}").find(c) != std::string_view::npos)
      return "a character is in it that no address has";
  }
  return nullptr;
}

enum class Scheme { none, http, https, ssh, git };

struct Parts {
  Scheme scheme = Scheme::none;
  std::string_view authority, path;
};

std::optional<Scheme> scheme_of(std::string_view name) {
  const std::string lower = to_lower(name);
  if (lower == "https" || lower == "git+https") return Scheme::https;
  if (lower == "http" || lower == "git+http") return Scheme::http;
  if (lower == "ssh" || lower == "git+ssh" || lower == "ssh+git") return Scheme::ssh;
  if (lower == "git") return Scheme::git;
  return std::nullopt;
}

// Without query and fragment, which name a page and no repository.
Expected<Parts> parts_of(std::string_view text) {
  text = text.substr(0, text.find_first_of("?#"));
  Parts parts;
  if (const std::size_t colon = text.find("://");
      colon != std::string_view::npos && colon < text.find('/')) {
    const auto scheme = scheme_of(text.substr(0, colon));
    if (!scheme) return no("only https, http, ssh and git are read");
    parts.scheme = *scheme;
    text.remove_prefix(colon + 3);
  } else if (const std::size_t end = text.find_first_of("/:");
             end != std::string_view::npos && text[end] == ':') {
    // What ssh takes, HOST:PATH, unless it is a port.
    const std::string_view rest = text.substr(end + 1);
    const std::string_view first = rest.substr(0, rest.find('/'));
    const bool is_port =
        text.substr(0, end).find('@') == std::string_view::npos && parse_decimal(first).has_value();
    if (rest.starts_with(':')) return no("only https, http, ssh and git are read");
    if (!is_port) return Parts{Scheme::ssh, text.substr(0, end), rest};
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  parts.authority = text.substr(0, slash);
  parts.path = text.substr(slash);
  return parts;
}

struct Host {
  std::string name;
  std::optional<std::uint64_t> port;
};

bool is_host(std::string_view host) {
  if (host.empty() || host.size() > kLongestHost || host.front() == '-') return false;
  if (host.front() == '[')
    return host.size() > 3 && host.back() == ']' &&
           host.find_first_not_of("0123456789abcdef:.", 1) == host.size() - 1;
  return host.front() != '.' && host.back() != '.' && host.find("..") == std::string::npos &&
         std::all_of(host.begin(), host.end(), [](char c) { return is_unreserved(c) && c != '~'; });
}

Expected<Host> host_of(std::string_view authority) {
  if (const std::size_t at = authority.find('@'); at != std::string_view::npos) {
    if (authority.substr(0, at).find(':') != std::string_view::npos)
      return no("a password is in it: it would be kept with the name of the repository");
    authority.remove_prefix(at + 1);
    if (authority.find('@') != std::string_view::npos) return no("its host is not clear");
  }
  Host host;
  const std::size_t after = authority.starts_with('[') ? authority.find(']') : 0;
  if (after == std::string_view::npos) return no("its host is none");
  if (const std::size_t colon = authority.find(':', after); colon != std::string_view::npos) {
    const std::string_view digits = authority.substr(colon + 1);
    if (!digits.empty()) {
      host.port = parse_decimal(digits);
      if (!host.port || *host.port == 0 || *host.port > 65535) return no("its port is none");
    }
    authority = authority.substr(0, colon);
  }
  host.name = to_lower(authority);
  if (host.name.ends_with('.')) host.name.pop_back();  // of the DNS's root
  if (!is_host(host.name)) return no("its host is none");
  return host;
}

// As RFC 3986 6.2.2 writes it: what needs no percent sign has none. nullopt: the sign hides what
// parts a path, or what nobody sees.
std::optional<std::string> normal_form(std::string_view segment) {
  std::string out;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      out += segment[i];
      continue;
    }
    const auto byte = from_percent(segment.substr(i, 3));
    if (!byte || byte->size() != 1) return std::nullopt;
    const char c = byte->front();
    if (c == '/' || c == '\\' || (c >= 0 && c < 0x20) || c == 0x7f) return std::nullopt;
    i += 2;
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(c);
    out += {'%', kHex[value >> 4], kHex[value & 15]};
  }
  return out;
}

Expected<std::vector<std::string>> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) {
      auto segment = normal_form(path.substr(0, end));
      if (!segment) return no("a percent sign in it hides what may not be in a path");
      if (*segment == "." || *segment == "..") return no("its path has a '.' or '..'");
      segments.push_back(std::move(*segment));
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

bool strip_git(std::vector<std::string>& segments) {
  constexpr std::string_view kGit = ".git";
  if (segments.empty() || !segments.back().ends_with(kGit)) return false;
  segments.back().resize(segments.back().size() - kGit.size());
  return true;
}

Expected<void> cut_to_repository(const Forge& forge, std::vector<std::string>& segments) {
  for (std::string& segment : segments) segment = to_lower(segment);
  do {  // without its ".git" a name may be one of the forge's own words
    if (!forge.cut(segments)) return no("it names no repository of that forge");
  } while (strip_git(segments));
  for (const std::string& segment : segments)
    if (!std::all_of(segment.begin(), segment.end(), is_unreserved))
      return no("that forge has no such names");
  return {};
}

Expected<Address> joined(std::string url, std::vector<std::string> segments) {
  if (segments.empty()) return no("it names a host and no repository");
  while (strip_git(segments)) {
  }
  if (segments.back().empty()) return no("its repository has no name");
  if (segments.back() == "." || segments.back() == "..") return no("its path has a '.' or '..'");
  for (const std::string& segment : segments) url += '/' + segment;
  if (url.size() > kLongest) return no("it is longer than 2 KiB");  // with https:// before it
  return Address{std::move(url)};
}

Expected<Address> parse(std::string_view text) {
  if (const char* why = wrong_with(text)) return no(why);
  const auto parts = parts_of(text);
  if (!parts) return parts.error();
  const auto host = host_of(parts->authority);
  if (!host) return host.error();
  auto segments = segments_of(parts->path);
  if (!segments) return segments.error();
  const bool by_http = parts->scheme == Scheme::http || parts->scheme == Scheme::https;
  const std::uint64_t usual = parts->scheme == Scheme::http ? 80 : 443;
  const std::uint64_t port = host->port.value_or(usual);
  // Their pages are at the usual port; where their ssh listens is of no account.
  const Forge* const forge =
      parts->scheme == Scheme::ssh || parts->scheme == Scheme::git || port == usual
          ? find_forge(host->name)
          : nullptr;
  if (forge != nullptr) {
    if (auto cut = cut_to_repository(*forge, *segments); !cut) return cut.error();
    return joined("https://" + std::string(forge->host), std::move(*segments));
  }
  if (parts->scheme == Scheme::none) return no("it has no https:// and names no forge we know");
  if (!by_http) return no("ssh and git:// are read as https of forges that we know alone");
  std::string url = (parts->scheme == Scheme::http ? "http://" : "https://") + host->name;
  if (port != usual) url += ':' + std::to_string(port);
  return joined(std::move(url), std::move(*segments));
}

}  // namespace

Expected<Address> parse_address(std::string_view text) {
  auto address = parse(text);
  if (!address)
    return Failure{address.error().code,
                   "This is no address of a repository: " + address.error().detail + "."};
  return address;
}

}  // namespace tanggul::sync
