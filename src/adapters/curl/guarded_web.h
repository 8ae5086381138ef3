#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ports/web.h"

namespace tanggul::curl {

struct GuardedWebConfig {
  // "HOST" or "HOST:PORT", in lower case: those that may be reached by http and at addresses of
  // this host and its neighbourhood.
  std::vector<std::string> trusted;
  std::string user_agent = "tanggul";
  std::string ca;  // a PEM file; empty: the system's
};

// ports::Web over libcurl. Proxies of the environment are not used: behind one nobody sees which
// address is asked.
std::unique_ptr<ports::Web> make_guarded_web(GuardedWebConfig config);

}  // namespace tanggul::curl
