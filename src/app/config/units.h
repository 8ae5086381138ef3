#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

// A value, or what is wrong with its text and what would be right: `has no unit; write 24h`.
template <class T>
struct Read {
  std::optional<T> value;
  std::string wrong;
};

struct Rate {
  double per_second = 0;
  std::string text;  // as written
};

// Whole numbers with a unit: 24h, 256MiB, 1KiB/s, 50/s or 1/3s. `like` is a good value of the same
// key; what is proposed has its unit.
Read<Duration> read_duration(std::string_view text, Duration like);
Read<ByteCount> read_size(std::string_view text, ByteCount like);
Read<ByteCount> read_byte_rate(std::string_view text, ByteCount like);
Read<Rate> read_rate(std::string_view text);

// The shortest text that reads back as the same value, in the units that people use: 60s and 24h,
// not 1m and 1d.
std::string write_duration(Duration d);
std::string write_size(ByteCount n);

// For people: 48,210; and 12s, 4m 12s, 2h 14m, 3d 4h.
std::string write_count(double n);
std::string write_span(Duration d);

}  // namespace tanggul::app
