#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tanggul/http/message.h"

namespace tanggul::http {

// The directives of one Cache-Control field, of a request or of a response (RFC 9111 5.2, RFC 5861,
// RFC 8246). Unknown directives are left out. Safe on any bytes, linear in their number.
struct CacheControl {
  bool present = false;

  bool no_store = false, no_cache = false, is_private = false, is_public = false;
  bool must_revalidate = false, proxy_revalidate = false, must_understand = false;
  bool immutable = false, only_if_cached = false, no_transform = false;

  std::optional<std::chrono::seconds> max_age, s_maxage;
  std::optional<std::chrono::seconds> stale_while_revalidate, stale_if_error;
  std::optional<std::chrono::seconds> min_fresh;
  std::optional<std::chrono::seconds> max_stale;  // seconds::max(): any staleness

  // max-age or s-maxage stands there without a number, or twice: the response counts as expired
  // (RFC 9111 4.2.1).
  bool invalid_age = false;

  // no-cache="…" and private="…" name header fields instead of the response; lower case. The flags
  // above stay false then.
  std::vector<std::string> no_cache_fields, private_fields;
};

// `joined_value`: all lines of the field, joined by commas.
CacheControl parse_cache_control(std::string_view joined_value);

// Of a request: where it has no Cache-Control, Pragma: no-cache stands for it (RFC 9111 5.4).
CacheControl request_cache_control(const RequestHead& request);

}  // namespace tanggul::http
