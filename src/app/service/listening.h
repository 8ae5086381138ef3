#pragma once

#include <cstddef>
#include <string>

#include "adapters/beast/server.h"
#include "app/config/config.h"

namespace tanggul::app {

// What the configuration says of the two ports, in the server's terms.
beast::ServerConfig server_config(const Config& config, const std::string& address,
                                  std::size_t connections);
beast::LogFormat log_format(AccessLog log);

std::string scheme(const Config& config);  // of `listen`, with its "://"
// An address of ours that a client can use: a wildcard is none.
std::string own_url(const Config& config);
bool is_loopback(const std::string& address);
std::string host_of(const std::string& address);

// Whether somebody listens there already, or nobody can. The lanes share their port (SO_REUSEPORT),
// and so would a second shield, which then took part of the first one's clients unnoticed.
bool taken(const std::string& address, std::string& error);

// Every connection is a file, and so is every fetch that spools: the soft limit is raised to the
// hard one.
void raise_file_limit();
std::size_t file_limit();

}  // namespace tanggul::app
