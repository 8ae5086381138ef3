#pragma once

#include <optional>
#include <string_view>

#include "tanggul/base/clock.h"

namespace tanggul::http {

// How long an origin asks to be left alone (RFC 9110 10.2.3): seconds or a date, 0 if that has
// passed or is negative, at most 24 h. nullopt: it says neither.
std::optional<Duration> parse_retry_after(std::string_view value, WallTime now);

}  // namespace tanggul::http
