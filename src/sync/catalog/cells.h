#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ports/sql_session.h"
#include "tanggul/base/clock.h"

namespace tanggul::sync {

// Text as every engine keeps it: valid UTF-8, U+FFFD for each NUL, which PostgreSQL refuses.
std::string stored(std::string_view text);

// Times are whole microseconds since 1970.
std::int64_t micros(WallTime time);
WallTime from_micros(std::int64_t micros);

std::string rfc3339(WallTime time);  // whole seconds, UTC

inline ports::SqlValue flag(bool value) { return std::int64_t{value}; }
ports::SqlValue whole(std::uint64_t value);  // what is over the column's range: its largest
ports::SqlValue or_null(const std::optional<std::int64_t>& value);
ports::SqlValue or_null(const std::optional<double>& value);  // NULL too where it is not finite
ports::SqlValue or_null(const std::optional<std::string>& value);  // as stored()
ports::SqlValue or_null(const std::optional<WallTime>& value);

// Of a row; what is NULL, or of another kind, is empty, 0, nullopt.
std::string text_of(const ports::SqlValue& value);
std::int64_t whole_of(const ports::SqlValue& value);
double number_of(const ports::SqlValue& value);
std::optional<std::int64_t> maybe_whole_of(const ports::SqlValue& value);
std::optional<WallTime> maybe_time_of(const ports::SqlValue& value);

}  // namespace tanggul::sync
