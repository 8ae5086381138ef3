#include "http/repr_digest.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace tanggul::http {
namespace {

const std::string kSum = Digest::of(DigestKind::sha256, "hello world\n");

TEST(ReprDigest, IsReadAsItIsWritten) {
  EXPECT_EQ(sha256_of_repr_digest(write_repr_digest(kSum)), kSum);
}

TEST(ReprDigest, IsFoundAmongOtherAlgorithmsAndWithParameters) {
  const std::string written = write_repr_digest(kSum);
  EXPECT_EQ(sha256_of_repr_digest("sha-512=:AAAA:, " + written + ";x=1 , md5=:AAAA:"), kSum);
  EXPECT_EQ(sha256_of_repr_digest("sha-256=:AAAA:, " + written), kSum);  // the last one counts
}

TEST(ReprDigest, AnythingElseIsNone) {
  const std::string written = write_repr_digest(kSum);
  for (const std::string& bad :
       {std::string(), std::string("sha-256"), std::string("sha-256="), std::string("sha-256=:"),
        std::string("sha-256=::"), std::string("sha-256=:AAAA:"), std::string("sha-256=:!!!!:"),
        written.substr(0, written.size() - 1), "x" + written, written + ", sha-256=?1"})
    EXPECT_FALSE(sha256_of_repr_digest(bad)) << bad;
}

}  // namespace
}  // namespace tanggul::http
