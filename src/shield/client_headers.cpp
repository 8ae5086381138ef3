#include "shield/client_headers.h"

#include "http/date.h"
#include "tanggul/base/clock.h"

namespace tanggul::shield {

http::Headers client_headers(http::Headers headers, bool drop_cookies) {
  headers.remove("age");
  if (drop_cookies) headers.remove("set-cookie");
  if (!headers.has("date")) headers.add("Date", http::format_date(wall_now()));
  return headers;
}

}  // namespace tanggul::shield
