#include "shield/peer_auth.h"

#include <gtest/gtest.h>

namespace tanggul::shield {
namespace {

constexpr WallTime kNow(1'700'000'000s);
const PeerAuth kAuth("secret");
const std::string kSigned = kAuth.sign("GET", "/.tanggul/peer/flight/ab", kNow);

bool fits(const PeerAuth& auth, std::string_view header, std::string_view method,
          std::string_view target, WallTime now) {
  const auto age = auth.age(header, method, target, now);
  return age && PeerAuth::good(*age);
}

TEST(PeerAuth, KnowsItsOwn) {
  EXPECT_TRUE(fits(kAuth, kSigned, "GET", "/.tanggul/peer/flight/ab", kNow));
}

TEST(PeerAuth, IsForOneMethodTargetAndSecret) {
  EXPECT_FALSE(fits(kAuth, kSigned, "PUT", "/.tanggul/peer/flight/ab", kNow));
  EXPECT_FALSE(fits(kAuth, kSigned, "GET", "/.tanggul/peer/flight/ac", kNow));
  EXPECT_FALSE(fits(PeerAuth("other"), kSigned, "GET", "/.tanggul/peer/flight/ab", kNow));
}

TEST(PeerAuth, IsGoodForHalfAMinuteAroundItsTime) {
  const auto at = [](Duration d) {
    return fits(kAuth, kSigned, "GET", "/.tanggul/peer/flight/ab", kNow + d);
  };
  EXPECT_TRUE(at(29s));
  EXPECT_TRUE(at(-29s));
  EXPECT_FALSE(at(32s));
  EXPECT_FALSE(at(-32s));
  EXPECT_EQ(kAuth.age(kSigned, "GET", "/.tanggul/peer/flight/ab", kNow - 1h), -1h);
}

TEST(PeerAuth, RefusesWhatIsNoneOfIts) {
  for (const char* bad :
       {"", " ", "1700000000", "1700000000 ", "x y", "99999999999999999999 00", "-1 00"})
    EXPECT_FALSE(fits(kAuth, bad, "GET", "/.tanggul/peer/flight/ab", kNow)) << bad;
}

}  // namespace
}  // namespace tanggul::shield
