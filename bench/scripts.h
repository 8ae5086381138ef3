#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/date.h"
#include "support/script.h"
#include "tanggul/base/clock.h"

namespace tanggul::bench {

inline test::Script body_of(std::uint64_t size, std::string_view cache_control = "max-age=86400") {
  test::Script s;
  s.generated_size = size;
  s.headers = {{"Cache-Control", std::string(cache_control)},
               {"Content-Type", "application/octet-stream"}};
  return s;
}

// As an origin with a clock sends it: Squid takes a lifetime without a Date for over. It counts
// whole seconds, which is too coarse for the stories with short lifetimes.
inline test::Script dated(test::Script s) {
  s.headers.emplace_back("Date", http::format_date(wall_now()));
  return s;
}

inline test::Script after(Duration delay, test::Script s) {
  s.delay_head = delay;
  return s;
}

inline test::Script failing(int status, Duration delay = {}) {
  test::Script s;
  s.status = status;
  s.body = "unavailable";
  s.delay_head = delay;
  return s;
}

inline test::Script faulty(test::Fault fault, test::Script s) {
  s.fault = fault;
  return s;
}

}  // namespace tanggul::bench
