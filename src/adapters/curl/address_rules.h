#pragma once

#include <boost/asio/ip/address.hpp>
#include <string_view>

namespace tanggul::curl {

// Whether an address belongs to this host or its neighbourhood: loopback, private, link-local (the
// clouds' metadata service), unique-local, carrier-grade NAT, multicast, reserved (RFC 6890), and
// IPv6 forms that carry such an IPv4 address. A redirect from the public Internet may not lead
// there.
bool is_internal_address(const boost::asio::ip::address& address) noexcept;

// What is no address counts as internal: there is nothing to prove otherwise.
bool is_internal_address(std::string_view text) noexcept;

}  // namespace tanggul::curl
