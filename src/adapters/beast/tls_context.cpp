#include "adapters/beast/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <chrono>

namespace tanggul::beast {
namespace {

// Sorted as Mozilla's intermediate recommendation; 1.3's own are all fit.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!SHA1";
constexpr unsigned char kProtocols[] = "\x08http/1.1\x08http/1.0";
constexpr unsigned char kSessions[] = "tanggul";

// RFC 7301 3.2: who offers only what is not spoken here is told so, not misunderstood.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kProtocols, sizeof kProtocols - 1, offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// OpenSSL would ask the terminal.
int no_pass_phrase(char*, int, int, void* asked) {
  if (asked != nullptr) *static_cast<bool*>(asked) = true;
  return -1;
}

void set_protocol(SSL_CTX* c) {
  SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(c, kCiphers);
  // A request is framed by HTTP, so a client that ends without close_notify cuts nothing short: it
  // is an end like any other.
  SSL_CTX_set_options(c, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                             SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_CIPHER_SERVER_PREFERENCE |
                             SSL_OP_PRIORITIZE_CHACHA);
  // A record's buffers are there while it is; an idle connection has none.
  SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                          SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(c, no_pass_phrase);
  SSL_CTX_set_read_ahead(c, 1);  // a record's header and body in one read
  SSL_CTX_set_session_id_context(c, kSessions, sizeof kSessions - 1);
  SSL_CTX_set_alpn_select_cb(c, choose_protocol, nullptr);
}

// A sentence, or empty.
std::string use_certificate(SSL_CTX* c, const std::string& file) {
  if (SSL_CTX_use_certificate_chain_file(c, file.c_str()) == 1) return {};
  const unsigned long code = ERR_peek_last_error();
  if (ERR_GET_LIB(code) == ERR_LIB_SSL || ERR_GET_LIB(code) == ERR_LIB_X509) {
    const char* why = ERR_reason_error_string(code);
    if (ERR_GET_REASON(code) != ERR_R_PEM_LIB && why != nullptr)
      return "the certificate in " + file + " cannot be used: " + why;
  }
  return "the file " + file +
         " holds no PEM certificate; write the server's there first, then its chain";
}

std::string use_key(SSL_CTX* c, const std::string& file, const std::string& cert_file) {
  const std::unique_ptr<BIO, int (*)(BIO*)> in(BIO_new_file(file.c_str(), "r"), BIO_free);
  bool asked = false;
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      in ? PEM_read_bio_PrivateKey(in.get(), nullptr, no_pass_phrase, &asked) : nullptr,
      EVP_PKEY_free);
  if (asked)
    return "the key in " + file + " is encrypted, and nobody is there to type its pass phrase; " +
           "write it without one (openssl pkey -in " + file + ")";
  if (!key) return "the file " + file + " holds no PEM private key";
  if (SSL_CTX_use_PrivateKey(c, key.get()) == 1 && SSL_CTX_check_private_key(c) == 1) return {};
  return "the key in " + file + " does not belong to the certificate in " + cert_file +
         "; write the one that it was made with";
}

}  // namespace

Result<std::shared_ptr<TlsContext>> TlsContext::load(const std::string& cert_file,
                                                     const std::string& key_file,
                                                     std::string& error) {
  ERR_clear_error();
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) {
    error = "OpenSSL cannot be used";
    return Errc::internal;
  }
  std::shared_ptr<TlsContext> loaded(new TlsContext(context));
  set_protocol(context);
  error = use_certificate(context, cert_file);
  if (error.empty()) error = use_key(context, key_file, cert_file);
  ERR_clear_error();
  if (!error.empty()) return Errc::bad_input;
  return loaded;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

TlsContext::Validity TlsContext::validity(WallTime now) const {
  const X509* certificate = SSL_CTX_get0_certificate(context_);
  time_t at = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(now));
  if (X509_cmp_time(X509_get0_notAfter(certificate), &at) < 0) return Validity::expired;
  if (X509_cmp_time(X509_get0_notBefore(certificate), &at) > 0) return Validity::not_yet;
  return Validity::valid;
}

}  // namespace tanggul::beast
