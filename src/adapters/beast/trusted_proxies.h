#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tanggul::beast {

// Peers whose X-Forwarded-* are believed: addresses or CIDR blocks, IPv4 or IPv6. Immutable.
class TrustedProxies {
 public:
  // Errc::bad_input when one of them is neither.
  static Result<TrustedProxies> parse(const std::vector<std::string>& blocks);
  bool contains(std::string_view address) const;
  bool empty() const noexcept { return blocks_.empty(); }

 private:
  struct Block {
    std::string bytes;  // 4 or 16, network order
    int bits = 0;
  };
  std::vector<Block> blocks_;
};

}  // namespace tanggul::beast
