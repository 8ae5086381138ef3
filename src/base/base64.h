#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tanggul {

// RFC 4648 4, with padding.
std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tanggul
