#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tanggul/http/message.h"

namespace tanggul::http {

// Each name costs a look through the request; nothing real varies by more fields than this.
inline constexpr std::size_t kMostVaryNames = 64;

// The field names of Vary: lower case, sorted, each once. {"*"} if any member is "*" or there are
// more than kMostVaryNames: such a response matches no other request (RFC 9111 4.1).
std::vector<std::string> vary_names(const Headers& response);

// What a request says in those fields, as one secondary key. Two requests have the same key exactly
// if each field is absent in both, or equal in both but for white space around commas and
// semicolons, empty list members, and how many lines it was sent in; Accept-Language also but for
// case and the order of languages of one weight.
std::string vary_values(const std::vector<std::string>& names, const RequestHead& request);
std::string vary_values(const std::vector<std::string>& names, const Headers& request);

}  // namespace tanggul::http
