#include "shield/peer_auth.h"

#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::shield {

std::string PeerAuth::mac(std::string_view method, std::string_view target,
                          std::string_view time) const {
  std::string message;
  message.append(method).append("\n").append(target).append("\n").append(time);
  return to_hex(hmac_sha256(secret_, message));
}

std::string PeerAuth::sign(std::string_view method, std::string_view target, WallTime now) const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const std::string time = std::to_string(seconds);
  return time + " " + mac(method, target, time);
}

std::optional<Duration> PeerAuth::age(std::string_view header, std::string_view method,
                                      std::string_view target, WallTime now) const {
  const auto space = header.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view time = header.substr(0, space);
  const auto told = parse_decimal(time);
  constexpr std::uint64_t kLatest = 1ull << 33;  // whatever is added to it fits
  if (!told || *told > kLatest) return std::nullopt;
  if (!equal_secrets(header.substr(space + 1), mac(method, target, time))) return std::nullopt;
  return now - WallTime(std::chrono::seconds(*told));
}

}  // namespace tanggul::shield
