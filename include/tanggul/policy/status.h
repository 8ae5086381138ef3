#pragma once

namespace tanggul::policy {

constexpr bool is_not_found(int status) { return status == 404 || status == 410; }
constexpr bool is_server_error(int status) { return status >= 500 && status <= 599; }

// Failures of the origin's, whose answer to followers is ours and may always be shared.
constexpr bool is_shared_failure(int status) { return is_server_error(status) || status == 429; }

// RFC 9110 15.1.
constexpr bool is_heuristically_cacheable(int status) {
  switch (status) {
    case 200:
    case 203:
    case 204:
    case 206:
    case 300:
    case 301:
    case 308:
    case 404:
    case 405:
    case 410:
    case 414:
    case 501:
      return true;
    default:
      return false;
  }
}

// Whose caching requirements are implemented here, for must-understand (RFC 9111 5.2.2.3).
constexpr bool is_understood(int status) {
  return is_heuristically_cacheable(status) || status == 302 || status == 303 || status == 307;
}

// Interim responses; parts and 304, which only complete what is stored; challenges, which are for
// one caller's credential; and the four that RFC 6585 forbids to store.
constexpr bool is_never_stored(int status) {
  switch (status) {
    case 206:
    case 304:
    case 401:
    case 407:
    case 428:
    case 429:
    case 431:
    case 511:
      return true;
    default:
      return status < 200 || status > 599;
  }
}

}  // namespace tanggul::policy
