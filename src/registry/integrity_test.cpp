#include "registry/integrity.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/base64.h"
#include "base/bytes.h"

namespace tanggul::registry {
namespace {

std::string sri(std::string_view algorithm, DigestKind kind, std::string_view text) {
  return std::string(algorithm) + "-" + to_base64(Digest::of(kind, text));
}
const std::string kSha1 = sri("sha1", DigestKind::sha1, "a");
const std::string kSha256 = sri("sha256", DigestKind::sha256, "a");
const std::string kSha384 = sri("sha384", DigestKind::sha384, "a");
const std::string kSha512 = sri("sha512", DigestKind::sha512, "a");

void expect_kind(std::string_view value, DigestKind kind) {
  const auto found = parse_integrity(value);
  ASSERT_TRUE(found) << value;
  EXPECT_EQ(found->kind, kind) << value;
  EXPECT_EQ(found->value, Digest::of(kind, "a")) << value;
}

TEST(Integrity, ReadsAKnownVector) {
  const auto found = parse_integrity("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  ASSERT_TRUE(found);
  EXPECT_EQ(to_hex(found->value),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Integrity, TakesTheStrongestInWhateverOrder) {
  expect_kind(kSha1, DigestKind::sha1);
  expect_kind(kSha1 + " " + kSha256, DigestKind::sha256);
  expect_kind(kSha384 + "\n" + kSha256 + " " + kSha1, DigestKind::sha384);
  expect_kind("  " + kSha512 + "\t" + kSha384 + "  ", DigestKind::sha512);
  expect_kind("SHA512" + kSha512.substr(6), DigestKind::sha512);
}

TEST(Integrity, LeavesOptionsOut) {
  expect_kind(kSha512 + "?ct=application/gzip?x", DigestKind::sha512);
}

TEST(Integrity, IgnoresWhatIsInvalid) {
  expect_kind("sha512-AAAA " + kSha256, DigestKind::sha256);
  expect_kind("md5-abc= sha1024-x nonsense - " + kSha1, DigestKind::sha1);
  expect_kind("sha512-" + std::string(88, '=') + " " + kSha1, DigestKind::sha1);
  for (const std::string bad :
       {"", " ", "sha512", "sha512-", "-", "sha1-?",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuF",
        "sha256-47DEQpj8HBSa+_TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "md5-1B2M2Y8AsgTpgAmY7PhCfg=="})
    EXPECT_FALSE(parse_integrity(bad)) << bad;
}

TEST(Integrity, SaysNothingWhereAnyOfSeveralWouldDo) {
  const std::string other = sri("sha512", DigestKind::sha512, "b");
  EXPECT_FALSE(parse_integrity(kSha512 + " " + other));
  expect_kind(kSha512 + " " + kSha512, DigestKind::sha512);
  const std::string weak = sri("sha1", DigestKind::sha1, "b");
  expect_kind(kSha1 + " " + weak + " " + kSha512, DigestKind::sha512);
}

TEST(Integrity, ReadsBackEveryDigest) {
  EXPECT_TRUE(rc::check("sha512 of any bytes", [](const std::string& bytes) {
    const auto digest = Digest::of(DigestKind::sha512, bytes);
    const auto found = parse_integrity("sha512-" + to_base64(digest));
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->value == digest);
  }));
}

TEST(Shasum, IsFortyHexadecimalDigits) {
  const std::string digest = Digest::of(DigestKind::sha1, "a");
  EXPECT_EQ(parse_shasum(to_hex(digest))->value, digest);
  EXPECT_EQ(parse_shasum("DA39A3EE5E6B4B0D3255BFEF95601890AFD80709")->kind, DigestKind::sha1);
  for (const std::string_view bad : {"", "da39", "zz39a3ee5e6b4b0d3255bfef95601890afd80709",
                                     "da39a3ee5e6b4b0d3255bfef95601890afd807091"})
    EXPECT_FALSE(parse_shasum(bad)) << bad;
}

}  // namespace
}  // namespace tanggul::registry
