#include "adapters/beast/trusted_proxies.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "base/bytes.h"

namespace tanggul::beast {
namespace {

std::string bytes_of(const boost::asio::ip::address& address) {
  const auto copy = [](const auto& bytes) { return std::string(bytes.begin(), bytes.end()); };
  if (address.is_v4()) return copy(address.to_v4().to_bytes());
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped())
    return copy(boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_bytes());
  return copy(v6.to_bytes());
}

bool same_prefix(const std::string& a, const std::string& b, int bits) {
  if (a.size() != b.size()) return false;
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (a.compare(0, whole, b, 0, whole) != 0) return false;
  const int rest = bits % 8;
  if (rest == 0) return true;
  const auto differ = static_cast<unsigned char>(a[whole] ^ b[whole]);
  return (differ >> (8 - rest)) == 0;
}

}  // namespace

Result<TrustedProxies> TrustedProxies::parse(const std::vector<std::string>& blocks) {
  TrustedProxies out;
  for (const std::string& text : blocks) {
    const auto slash = text.find('/');
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(text.substr(0, slash), error);
    if (error) return Errc::bad_input;
    Block block{bytes_of(address), 0};
    const int most = static_cast<int>(block.bytes.size()) * 8;
    block.bits = most;
    if (slash != std::string::npos) {
      const auto bits = parse_decimal(std::string_view(text).substr(slash + 1));
      if (!bits || *bits > static_cast<std::uint64_t>(most)) return Errc::bad_input;
      block.bits = static_cast<int>(*bits);
    }
    out.blocks_.push_back(std::move(block));
  }
  return out;
}

bool TrustedProxies::contains(std::string_view text) const {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(text), error);
  if (error) return false;
  const std::string bytes = bytes_of(address);
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [&](const Block& b) { return same_prefix(b.bytes, bytes, b.bits); });
}

}  // namespace tanggul::beast
