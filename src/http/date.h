#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tanggul/base/clock.h"

namespace tanggul::http {

// An HTTP-date in any of its three forms (RFC 9110 5.6.7), names without case as RFC 9111 4.2 asks
// of caches; a zone other than GMT is no date. The weekday has to be one but not the right one.
// Years outside 1970…2200 are held at those ends, so that differences never overflow.
// `now` decides the century of RFC 850's two digits.
std::optional<WallTime> parse_date(std::string_view text, WallTime now = wall_now());

// IMF-fixdate, fractions of a second dropped.
std::string format_date(WallTime time);

}  // namespace tanggul::http
