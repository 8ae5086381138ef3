#include "base/result.h"

#include <string>

namespace tanggul {
namespace {

class Category final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "tanggul"; }
  std::string message(int value) const override {
    return std::string(tanggul::name(static_cast<Errc>(value)));
  }
};

}  // namespace

const boost::system::error_category& errc_category() noexcept {
  static const Category category;
  return category;
}

std::string_view name(Errc e) noexcept {
  switch (e) {
    case Errc::refused:
      return "refused";
    case Errc::connect_timeout:
      return "connect_timeout";
    case Errc::first_byte_timeout:
      return "first_byte_timeout";
    case Errc::stalled:
      return "stalled";
    case Errc::reset:
      return "reset";
    case Errc::truncated:
      return "truncated";
    case Errc::bad_response:
      return "bad_response";
    case Errc::digest_mismatch:
      return "digest_mismatch";
    case Errc::too_large:
      return "too_large";
    case Errc::over_passthrough:
      return "over_passthrough";
    case Errc::breaker_open:
      return "breaker_open";
    case Errc::paused:
      return "paused";
    case Errc::limit:
      return "limit";
    case Errc::deadline:
      return "deadline";
    case Errc::cancelled:
      return "cancelled";
    case Errc::redirect:
      return "redirect";
    case Errc::forbidden_address:
      return "forbidden_address";
    case Errc::loop:
      return "loop";
    case Errc::stale_connection:
      return "stale_connection";
    case Errc::io:
      return "io";
    case Errc::bad_input:
      return "bad_input";
    case Errc::internal:
      return "internal";
  }
  return "unknown";
}

}  // namespace tanggul
