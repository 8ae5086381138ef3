#include "adapters/curl/outcome.h"

#include <curl/curl.h>

namespace tanggul::curl {
namespace {

Errc before_sending(int code) noexcept {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_FUNCTION_ARGUMENT:
      return Errc::bad_input;
    case CURLE_OPERATION_TIMEDOUT:
      return Errc::connect_timeout;
    default:
      return Errc::refused;  // no name, no route, no TLS, a proxy that says no
  }
}

Errc before_the_head(int code, const Progress& progress) noexcept {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9, which is to say anything
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_OUT_OF_MEMORY:  // a header line over libcurl's own limit
    case CURLE_HTTP2:
    case CURLE_BAD_CONTENT_ENCODING:
      return Errc::bad_response;
    default:
      break;
  }
  // A pooled connection that breaks without a byte was closed by the peer while it lay idle.
  const bool stale = progress.reused && !progress.head_begun;
  return stale ? Errc::stale_connection : Errc::reset;
}

}  // namespace

std::optional<Errc> outcome(int code, const Progress& progress) noexcept {
  if (!progress.sent) return code == CURLE_OK ? Errc::internal : before_sending(code);
  if (!progress.head_complete) return before_the_head(code, progress);
  if (code == CURLE_OK) return std::nullopt;
  return Errc::truncated;
}

bool is_tls_failure(int code) noexcept {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_CLIENTCERT:
      return true;
    default:
      return false;
  }
}

}  // namespace tanggul::curl
