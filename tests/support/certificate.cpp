#include "support/certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace tanggul::test {
namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* t) const {
    free(t);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Cert = std::unique_ptr<X509, Free<X509_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;

std::string text_of(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

void check(bool fine) {
  if (!fine) throw std::runtime_error("OpenSSL made no certificate");
}

long whole_seconds(Duration d) {
  return std::chrono::duration_cast<std::chrono::seconds>(d).count();
}

}  // namespace

Certificate make_certificate(const CertificateSpec& spec) {
  static long serial = 0;
  const Key key(EVP_EC_gen("P-256"));
  const Cert cert(X509_new());
  check(key && cert);
  X509_set_version(cert.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), whole_seconds(spec.from));
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), whole_seconds(spec.until));
  X509_set_pubkey(cert.get(), key.get());
  X509_NAME* name = X509_get_subject_name(cert.get());
  const std::string common = "test " + std::to_string(serial);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common.data()),
                             static_cast<int>(common.size()), -1, 0);
  X509_set_issuer_name(cert.get(), name);
  const Extension san(X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1"));
  check(san && X509_add_ext(cert.get(), san.get(), -1) == 1);
  check(X509_sign(cert.get(), key.get(), EVP_sha256()) > 0);

  const Bio cert_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_X509(cert_text.get(), cert.get()) == 1);
  const EVP_CIPHER* cipher = spec.pass_phrase.empty() ? nullptr : EVP_aes_256_cbc();
  check(PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), cipher, spec.pass_phrase.data(),
                                      static_cast<int>(spec.pass_phrase.size()), nullptr,
                                      nullptr) == 1);
  return {text_of(cert_text), text_of(key_text)};
}

}  // namespace tanggul::test
