#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "tanggul/base/clock.h"

struct ssl_ctx_st;

namespace tanggul::beast {

// A server's certificate with its key, and how TLS is spoken with it: 1.2 or 1.3, forward secrecy
// and AEAD alone, ALPN http/1.1, sessions resumed by tickets, no compression, no renegotiation.
// Immutable once loaded and shared by all threads; a connection keeps what it needs of it, so it
// may be replaced while connections made with it go on.
class TlsContext {
 public:
  // PEM files: the certificate first in its file, then its chain. Errc::bad_input with one
  // sentence in `error` that names the file and what is wrong with it.
  static Result<std::shared_ptr<TlsContext>> load(const std::string& cert_file,
                                                  const std::string& key_file, std::string& error);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  enum class Validity { valid, expired, not_yet };
  Validity validity(WallTime now) const;

  ssl_ctx_st* native() const noexcept { return context_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}

  ssl_ctx_st* const context_;
};

}  // namespace tanggul::beast
