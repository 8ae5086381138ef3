#include "adapters/curl/address_rules.h"

#include <gtest/gtest.h>

namespace tanggul::curl {
namespace {

TEST(AddressRules, KnowTheNeighbourhood) {
  for (const char* text : {"0.0.0.0",
                           "10.1.2.3",
                           "100.64.0.1",
                           "100.127.255.255",
                           "100.100.100.200",
                           "127.0.0.1",
                           "127.255.0.9",
                           "168.63.129.16",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.168.1.1",
                           "192.0.0.8",
                           "198.19.0.1",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "fc00::1",
                           "fd00:ec2::254",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1",
                           "::ffff:10.0.0.1",
                           "::ffff:169.254.169.254",
                           "64:ff9b::7f00:1",
                           "64:ff9b:1::808:808",
                           "2002:a00:1::",
                           "::127.0.0.1",
                           "not an address",
                           ""}) {
    EXPECT_TRUE(is_internal_address(std::string_view(text))) << text;
  }
}

TEST(AddressRules, LetThePublicOnesPass) {
  for (const char* text :
       {"1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
        "128.0.0.1", "168.63.129.17", "169.253.1.1", "172.15.255.255", "172.32.0.1",
        "192.167.255.255", "192.169.0.1", "223.255.255.255", "2606:4700::1", "::ffff:8.8.8.8",
        "64:ff9b::808:808", "2002:808:808::"}) {
    EXPECT_FALSE(is_internal_address(std::string_view(text))) << text;
  }
}

}  // namespace
}  // namespace tanggul::curl
