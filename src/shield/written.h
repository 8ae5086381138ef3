#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shield/config.h"
#include "tanggul/http/message.h"

namespace tanggul::shield {

// The targets below the mount, beside the one it was sent to, that a successful write has changed:
// what its answer names in Location and Content-Location, if that is on the same host as clients or
// the upstream know it (RFC 9111 4.4). `rest` and `authority` are the request's.
std::vector<std::string> also_written(const http::Headers& answer, std::string_view rest,
                                      std::string_view authority, const OriginConfig& config);

}  // namespace tanggul::shield
