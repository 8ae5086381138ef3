#pragma once

#include <chrono>
#include <optional>

#include "tanggul/http/message.h"

namespace tanggul::http {

// The first `wait` among the request's preferences (RFC 7240 4.3), in whatever line and company it
// stands. nullopt: none, or no number.
std::optional<std::chrono::seconds> prefer_wait(const RequestHead& request);

}  // namespace tanggul::http
