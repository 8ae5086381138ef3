#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tanggul/http/message.h"

namespace tanggul::http {

// A targeted field (RFC 9213) such as CDN-Cache-Control as the Cache-Control that it stands for.
// nullopt: it is empty or no Dictionary of RFC 8941, and so as good as absent. A directive whose
// value is not of its type is left out.
std::optional<std::string> targeted_directives(std::string_view joined_value);

// A response's headers as a cache judges them that honours these targeted fields, the first that
// counts winning: what that says stands for Cache-Control, and Expires does not matter.
Headers as_directed(const Headers& response, const std::vector<std::string>& fields);

}  // namespace tanggul::http
