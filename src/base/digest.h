#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tanggul {

enum class DigestKind { md5, sha1, sha256, sha384, sha512 };

// A running digest. Not thread-safe. finish() gives the raw bytes and may be called once.
class Digest {
 public:
  explicit Digest(DigestKind kind);
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  void update(std::string_view bytes);
  std::string finish();

  static std::string of(DigestKind kind, std::string_view bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// HMAC with SHA-256 (RFC 2104), raw.
std::string hmac_sha256(std::string_view key, std::string_view message);
// Compares in a time that does not tell where they differ.
bool equal_secrets(std::string_view a, std::string_view b) noexcept;

// What a document says of an artifact that it names.
struct ArtifactDigest {
  std::string file;       // the artifact's file name, the sort key
  std::string url;        // where the document says that it lies
  std::string integrity;  // Subresource Integrity, may list several; or empty
  std::string sha1;       // hex; or empty
};

}  // namespace tanggul
