#include "app/config/url.h"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <optional>

#include "base/base64.h"
#include "base/bytes.h"

namespace tanggul::app {
namespace {

std::uint16_t default_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

bool valid_name(std::string_view host) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-._";
  return !host.empty() && host.size() <= 253 &&
         host.find_first_not_of(kAllowed) == std::string_view::npos;
}

boost::asio::ip::address address_of(std::string_view host, boost::system::error_code& ec) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return boost::asio::ip::make_address_v6(std::string(host.substr(1, host.size() - 2)), ec);
  }
  return boost::asio::ip::make_address_v4(std::string(host), ec);
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  boost::system::error_code ec;
  const auto address = address_of(host, ec);
  return !ec && address.is_loopback();
}

bool is_wildcard(std::string_view host) {
  boost::system::error_code ec;
  const auto address = address_of(host, ec);
  return !ec && address.is_unspecified();
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment == "." || segment == "..") return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

// Takes the userinfo out of `text`. Passwords come from the environment as they are, so anything up
// to the last @ of the authority is one, with or without percent-encoding.
std::optional<std::string> cut_userinfo(std::string& text) {
  const std::size_t start = text.find("://");
  if (start == std::string::npos) return std::nullopt;
  const std::size_t authority = start + 3;
  const std::size_t end = std::min(text.find_first_of("/?#", authority), text.size());
  const std::size_t at = text.rfind('@', end);
  if (at == std::string::npos || at < authority) return std::nullopt;
  std::string userinfo = text.substr(authority, at - authority);
  text.erase(authority, at + 1 - authority);
  return userinfo;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte =
        text[i] == '%' && i + 2 < text.size() ? from_hex(text.substr(i + 1, 2)) : std::nullopt;
    out += byte ? *byte : std::string(1, text[i]);
    if (byte) i += 2;
  }
  return out;
}

// The end of what a reader may take for userinfo; npos: there is none.
std::size_t userinfo_end(std::string_view text, std::size_t authority) {
  const std::size_t blank = std::min(text.find_first_of(" \t\r\n\"'", authority), text.size());
  const std::size_t end = std::min(text.find_first_of("/?#", authority), blank);
  const std::size_t at = text.substr(0, end).rfind('@');
  if (at != std::string_view::npos && at >= authority) return at;
  // A colon without a port after it: a password with a slash that someone forgot to encode.
  const std::string_view host = text.substr(authority, end - authority);
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon == std::string_view::npos || host.front() == '[' ||
                        host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  const std::size_t late = text.substr(0, blank).rfind('@');
  return has_port || late == std::string_view::npos || late < authority ? std::string_view::npos
                                                                        : late;
}

}  // namespace

std::string Url::base() const {
  if (port == default_port(scheme)) return fmt::format("{}://{}", scheme, host);
  return fmt::format("{}://{}:{}", scheme, host, port);
}

Read<Url> read_url(std::string_view written) {
  constexpr std::string_view kExample = "write one like http://host:port/path/";
  std::string text(written);
  const std::optional<std::string> userinfo = cut_userinfo(text);
  const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  if (!parsed) return {{}, fmt::format("is no URL; {}", kExample)};
  const boost::urls::url_view& view = *parsed;
  Url url;
  url.scheme = to_lower(std::string_view(view.scheme()));
  if (url.scheme != "http" && url.scheme != "https") {
    return {{}, fmt::format("has the scheme {}; only http and https are spoken", url.scheme)};
  }
  const std::string host(view.encoded_host());
  url.host = to_lower(host);
  if (url.host.empty()) return {{}, fmt::format("names no host; {}", kExample)};
  const std::string port(view.port());
  const auto number = port.empty() ? default_port(url.scheme) : parse_decimal(port);
  if (!number || *number == 0 || *number > 65535) {
    return {{}, "has an impossible port; use 1 to 65535"};
  }
  url.port = static_cast<std::uint16_t>(*number);
  if (view.has_query() || view.has_fragment()) {
    return {{}, "has a query or a fragment; leave them out"};
  }
  url.path = std::string(view.encoded_path());
  if (!url.path.empty() && url.path.front() != '/')
    return {{}, fmt::format("is no URL; {}", kExample)};
  if (has_dot_segment(url.path)) return {{}, "has . or .. in its path; write the path they mean"};
  while (url.path.ends_with('/')) url.path.pop_back();
  if (userinfo) {
    const std::size_t colon = std::min(userinfo->find(':'), userinfo->size());
    const std::string_view all = *userinfo;
    url.authorization =
        "Basic " + to_base64(percent_decoded(all.substr(0, colon)) + ":" +
                             percent_decoded(all.substr(std::min(colon + 1, all.size()))));
  }
  return {std::move(url), {}};
}

std::string mask_userinfo(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t start = text.find("://");
    if (start == std::string_view::npos) return out.append(text);
    const std::size_t authority = start + 3;
    const std::size_t at = userinfo_end(text, authority);
    out.append(text.substr(0, authority));
    if (at == std::string_view::npos) {
      text.remove_prefix(authority);
    } else {
      out.append(kMaskedUserinfo);
      text.remove_prefix(at);
    }
  }
}

bool HostPort::loopback() const { return is_loopback(host); }
bool HostPort::wildcard() const { return is_wildcard(host); }

Read<HostPort> read_host_port(std::string_view text) {
  constexpr std::string_view kWrong = "is no host:port; write one like 127.0.0.1:8080";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {{}, std::string(kWrong)};
  HostPort out;
  out.host = to_lower(text.substr(0, colon));
  boost::system::error_code ec;
  address_of(out.host, ec);
  if (ec && !valid_name(out.host)) return {{}, std::string(kWrong)};
  const auto port = parse_decimal(text.substr(colon + 1));
  if (!port) return {{}, std::string(kWrong)};
  if (*port > 65535) return {{}, "has an impossible port; use 0 to 65535"};
  out.port = static_cast<std::uint16_t>(*port);
  return {std::move(out), {}};
}

bool reaches(const Url& url, const HostPort& listener) {
  if (listener.port == 0 || url.port != listener.port) return false;
  if (url.host == listener.host) return true;
  if (listener.wildcard()) return is_loopback(url.host) || is_wildcard(url.host);
  // Only names are vague about which loopback address they mean.
  const bool vague = url.host.ends_with("localhost") || listener.host.ends_with("localhost") ||
                     is_wildcard(url.host);
  return vague && listener.loopback() && (is_loopback(url.host) || is_wildcard(url.host));
}

std::string_view OwnAddresses::key_of(const Url& url) const {
  if (reaches(url, listen)) return "listen";
  if (reaches(url, admin)) return "admin";
  const bool below = public_url && url.base() == public_url->base() &&
                     (url.path + "/").starts_with(public_url->path + "/");
  return below ? "public_url" : "";
}

}  // namespace tanggul::app
