#pragma once

#include <string>

#include "app/url.h"
#include "base/clock.h"

namespace tanggul::app {

struct GetAnswer {
  int status = 0;     // 0: no answer
  std::string body;   // at most 4 MiB
  std::string error;  // why there is none, in the system's words
};

// One GET over plain HTTP to a service of ours, which frames its answers by Content-Length. Blocks
// until the answer is there or `limit` has passed.
GetAnswer http_get(const Url& url, const std::string& target, const std::string& token,
                   Duration limit);

}  // namespace tanggul::app
