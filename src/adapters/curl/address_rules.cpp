#include "adapters/curl/address_rules.h"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <cstdint>

namespace tanggul::curl {
namespace {

namespace ip = boost::asio::ip;

struct Block {
  std::uint32_t network;
  int bits;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// RFC 6890, and the one metadata address outside it.
constexpr Block kInternal[] = {
    {v4(0, 0, 0, 0), 8},         // this network
    {v4(10, 0, 0, 0), 8},        // private
    {v4(100, 64, 0, 0), 10},     // carrier-grade NAT
    {v4(127, 0, 0, 0), 8},       // loopback
    {v4(168, 63, 129, 16), 32},  // a cloud's metadata service
    {v4(169, 254, 0, 0), 16},    // link-local
    {v4(172, 16, 0, 0), 12},     // private
    {v4(192, 0, 0, 0), 24},      // protocol assignments
    {v4(192, 168, 0, 0), 16},    // private
    {v4(198, 18, 0, 0), 15},     // benchmarking
    {v4(224, 0, 0, 0), 4},       // multicast
    {v4(240, 0, 0, 0), 4},       // reserved, broadcast
};

bool is_internal_v4(std::uint32_t address) noexcept {
  return std::any_of(std::begin(kInternal), std::end(kInternal), [&](const Block& b) {
    return (address >> (32 - b.bits)) == (b.network >> (32 - b.bits));
  });
}

bool is_internal_v6(const ip::address_v6::bytes_type& b) noexcept {
  const auto embedded = [&](std::size_t at) { return v4(b[at], b[at + 1], b[at + 2], b[at + 3]); };
  const auto zero = [&](std::size_t from, std::size_t to) {
    return std::all_of(b.begin() + from, b.begin() + to, [](unsigned char c) { return c == 0; });
  };
  if (zero(0, 10) && b[10] == 0xff && b[11] == 0xff) return is_internal_v4(embedded(12));  // mapped
  if (zero(0, 12)) return true;  // unspecified, loopback, the deprecated v4-compatible ones
  if (b[0] == 0x00 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b) {  // NAT64: RFC 6052, 8215
    return !zero(4, 12) || is_internal_v4(embedded(12));
  }
  if (b[0] == 0x20 && b[1] == 0x02) return is_internal_v4(embedded(2));  // 6to4, RFC 3056
  return (b[0] & 0xfe) == 0xfc ||                                        // unique-local
         (b[0] == 0xfe && (b[1] & 0x80) == 0x80) ||                      // link-local, site-local
         b[0] == 0xff;                                                   // multicast
}

}  // namespace

bool is_internal_address(const ip::address& address) noexcept {
  if (address.is_v4()) return is_internal_v4(address.to_v4().to_uint());
  return is_internal_v6(address.to_v6().to_bytes());
}

bool is_internal_address(std::string_view text) noexcept {
  boost::system::error_code ec;
  const ip::address address = ip::make_address(text, ec);
  return ec || is_internal_address(address);
}

}  // namespace tanggul::curl
