#pragma once

#include <string>

#include "app/config/environment.h"
#include "app/config/url.h"
#include "app/terminal/console.h"

namespace tanggul::app {

// Where the admin port of a running shield is.
struct AdminAddress {
  std::string url = "http://127.0.0.1:8081";
  std::string token;  // empty: none
};

// By the configuration at `config` where that is not empty; `url`, where not empty, wins over it.
// The token is what the configuration's admin_token_env names, else $TANGGUL_TOKEN. nullopt: the
// configuration has errors, which have been told.
std::optional<AdminAddress> admin_address(const std::string& config, const std::string& url,
                                          const Environment& environment, const Console& console);

// The URL in its parts; nullopt: it is none, which has been told. `https` says whether that will
// do.
std::optional<Url> admin_url(const AdminAddress& address, bool https, const Console& console);

// What to say when it answers with this status, which is none of a success.
std::string refused_with(const Url& url, int status, std::string_view instead_of);

}  // namespace tanggul::app
