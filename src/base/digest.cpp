#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <new>

namespace tanggul {
namespace {
const EVP_MD* algorithm(DigestKind kind) {
  switch (kind) {
    case DigestKind::md5:
      return EVP_md5();
    case DigestKind::sha1:
      return EVP_sha1();
    case DigestKind::sha256:
      return EVP_sha256();
    case DigestKind::sha384:
      return EVP_sha384();
    case DigestKind::sha512:
      return EVP_sha512();
  }
  return EVP_sha256();
}
}  // namespace

struct Digest::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(md); }
};

Digest::Digest(DigestKind kind) : context_(std::make_unique<Context>()) {
  if (context_->md == nullptr || EVP_DigestInit_ex(context_->md, algorithm(kind), nullptr) != 1)
    throw std::bad_alloc();
}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(std::string_view bytes) {
  EVP_DigestUpdate(context_->md, bytes.data(), bytes.size());
}

std::string Digest::finish() {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context_->md, out, &size);
  return {reinterpret_cast<const char*>(out), size};
}

std::string Digest::of(DigestKind kind, std::string_view bytes) {
  Digest d(kind);
  d.update(bytes);
  return d.finish();
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, message.size(), out,
           &size) == nullptr)
    throw std::bad_alloc();
  return {reinterpret_cast<const char*>(out), size};
}

bool equal_secrets(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tanggul
