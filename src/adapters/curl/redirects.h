#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tanggul/http/message.h"

namespace tanggul::curl {

// Where one request of an attempt goes.
struct Hop {
  std::string base;    // scheme://host[:port], lower case, without a default port
  std::string target;  // raw path and query, never decoded
};

inline constexpr int kMaxRedirects = 5;

// scheme://host[:port] in the form that two of them can be compared in; user names are dropped.
// nullopt: not http or https, or not a URL.
std::optional<std::string> canonical_base(std::string_view url);

// 301 302 303 307 308: those that name one other place for the same thing.
bool is_redirect(int status) noexcept;

// The place that `location` names from `from` (RFC 3986 5.2; an absolute path or URL keeps its raw
// path, dots and escapes included). Errc::redirect: no http(s) URL, or from https down to http.
Result<Hop> next_hop(const Hop& from, std::string_view location);

// What a request may still carry once it has left scheme, host or port of its upstream: no
// Authorization, Cookie, Host, nor any header named in `credentials`.
http::Headers without_credentials(const http::Headers& headers,
                                  const std::vector<std::string>& credentials);

}  // namespace tanggul::curl
