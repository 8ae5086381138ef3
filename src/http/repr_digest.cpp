#include "http/repr_digest.h"

#include "base/base64.h"
#include "base/bytes.h"
#include "tanggul/http/message.h"

namespace tanggul::http {
namespace {

constexpr std::string_view kName =
    "sha-256=:";  // a byte sequence of RFC 8941 stands between colons
constexpr std::size_t kSize = 32;

}  // namespace

std::optional<std::string> sha256_of_repr_digest(std::string_view value) {
  std::optional<std::string> out;
  for (std::string_view member : list_members(value)) {
    member = trim(member.substr(0, member.find(';')));
    if (!member.starts_with("sha-256=")) continue;
    out.reset();  // the last of one name counts (RFC 8941 3.2)
    if (!member.starts_with(kName) || !member.ends_with(':') || member.size() <= kName.size())
      continue;
    member.remove_prefix(kName.size());
    member.remove_suffix(1);
    auto bytes = from_base64(member);
    if (bytes && bytes->size() == kSize) out = std::move(bytes);
  }
  return out;
}

std::string write_repr_digest(std::string_view sha256) {
  return std::string(kName).append(to_base64(sha256)).append(":");
}

}  // namespace tanggul::http
