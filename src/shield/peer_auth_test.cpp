#include "shield/peer_auth.h"

#include <gtest/gtest.h>

namespace tanggul::shield {
namespace {

constexpr WallTime kNow(1'700'000'000s);
const PeerAuth kAuth("secret");
const std::string kSigned = kAuth.sign("GET", "/.tanggul/peer/flight/ab", kNow);

TEST(PeerAuth, KnowsItsOwn) {
  EXPECT_TRUE(kAuth.fits(kSigned, "GET", "/.tanggul/peer/flight/ab", kNow));
}

TEST(PeerAuth, IsForOneMethodTargetAndSecret) {
  EXPECT_FALSE(kAuth.fits(kSigned, "PUT", "/.tanggul/peer/flight/ab", kNow));
  EXPECT_FALSE(kAuth.fits(kSigned, "GET", "/.tanggul/peer/flight/ac", kNow));
  EXPECT_FALSE(PeerAuth("other").fits(kSigned, "GET", "/.tanggul/peer/flight/ab", kNow));
}

TEST(PeerAuth, IsGoodForHalfAMinuteAroundItsTime) {
  const auto at = [](Duration d) {
    return kAuth.fits(kSigned, "GET", "/.tanggul/peer/flight/ab", kNow + d);
  };
  EXPECT_TRUE(at(29s));
  EXPECT_TRUE(at(-29s));
  EXPECT_FALSE(at(32s));
  EXPECT_FALSE(at(-32s));
}

TEST(PeerAuth, RefusesWhatIsNoneOfIts) {
  for (const char* bad :
       {"", " ", "1700000000", "1700000000 ", "x y", "99999999999999999999 00", "-1 00"})
    EXPECT_FALSE(kAuth.fits(bad, "GET", "/.tanggul/peer/flight/ab", kNow)) << bad;
}

}  // namespace
}  // namespace tanggul::shield
