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

TEST(Hmac, MatchesThePublishedVector) {  // RFC 4231, case 2
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Secrets, AreEqualOnlyAsAWhole) {
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcd"}) EXPECT_FALSE(equal_secrets("abc", other));
}

}  // namespace tanggul
