#include "adapters/beast/trusted_proxies.h"

#include <gtest/gtest.h>

namespace tanggul::beast {

TEST(TrustedProxies, ContainsAddressesAndBlocks) {
  const auto proxies = TrustedProxies::parse({"10.0.0.0/8", "192.168.1.7", "2001:db8::/33"});
  ASSERT_TRUE(proxies);
  for (const char* in : {"10.255.0.1", "192.168.1.7", "2001:db8:7fff::1", "::ffff:10.1.2.3"})
    EXPECT_TRUE(proxies->contains(in)) << in;
  for (const char* out : {"11.0.0.1", "192.168.1.8", "2001:db8:8000::1", "", "host"})
    EXPECT_FALSE(proxies->contains(out)) << out;
}

TEST(TrustedProxies, RefusesWhatIsNoBlock) {
  for (const char* bad : {"10.0.0.0/33", "10.0.0", "example", "10.0.0.0/", "::/129"})
    EXPECT_FALSE(TrustedProxies::parse({bad})) << bad;
}

}  // namespace tanggul::beast
