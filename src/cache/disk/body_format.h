#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/result.h"
#include "cache/block_checks.h"
#include "cache/file.h"

namespace tanggul::cache {

// A body in a file of its own, named by what is in it, so that two keys with the same bytes share
// one. The body comes first: sendfile needs no offset. Settled, as entry_format.h is.
//
//   0        the body
//   n        u64 × blocks  XXH3 of each MiB
//   +0       char[32]      SHA-256 of the body
//   +32      u64           n
//   +40      u64           XXH3 of what lies between the body and this
//   +48      char[8]       "tglbody1"

// Takes a body in, piece by piece, and then tells what follows it.
class BodySeal {
 public:
  BodySeal() : digest_(DigestKind::sha256) {}
  void update(std::string_view bytes);
  // Once, after the last byte.
  std::string finish();
  const std::string& sha256() const noexcept { return sha256_; }  // after finish()

 private:
  Digest digest_;
  std::string block_;
  std::vector<std::uint64_t> sums_;
  std::string sha256_;
  ByteCount size_ = 0;
};

// Reads what follows the body of this digest and length in a file, and gives the file its checks.
// Errc::bad_input: it is not what it should be.
Result<void> read_seal(File& file, std::string_view sha256, ByteCount length);

}  // namespace tanggul::cache
