#include "adapters/redis/keys.h"

#include "base/bytes.h"

namespace tanggul::redis {

std::string Keys::of(std::string_view tag, std::string_view what) const {
  std::string key;
  key.reserve(prefix_.size() + tag.size() + what.size() + 3);
  key += '{';
  key += prefix_;
  key += ':';
  key += tag;
  key += '}';
  key += what;
  return key;
}

std::string Keys::limit(std::string_view origin, std::string_view what) const {
  std::string tag = "o:";
  tag += origin;
  return of(tag, std::string(":").append(what));
}

std::string Keys::credential_pause(std::string_view origin, std::string_view credential) const {
  return limit(origin, std::string("pause:").append(credential));
}

std::string Keys::channel(std::string_view what) const {
  return std::string(prefix_)
      .append(":")
      .append(std::to_string(database_))
      .append(":")
      .append(what);
}

std::string padded(std::uint64_t version) {
  const std::string digits = std::to_string(version);
  return std::string(kVersionDigits - digits.size(), '0') + digits;
}

std::uint64_t version_of(std::string_view text) {
  return parse_decimal(text.substr(0, kVersionDigits)).value_or(0);
}

}  // namespace tanggul::redis
