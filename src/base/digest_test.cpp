#include "base/digest.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace tanggul {

TEST(Digest, MatchesThePublishedVectors) {  // FIPS 180-4, "abc"
  EXPECT_EQ(to_hex(Digest::of(DigestKind::sha1, "abc")),
            "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(to_hex(Digest::of(DigestKind::sha256, "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, DoesNotDependOnHowTheBytesArrive) {
  Digest d(DigestKind::sha512);
  for (const char c : std::string("abc")) d.update({&c, 1});
  EXPECT_EQ(d.finish(), Digest::of(DigestKind::sha512, "abc"));
}

}  // namespace tanggul
