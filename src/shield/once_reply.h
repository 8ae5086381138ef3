#pragma once

#include <boost/json/object.hpp>
#include <string_view>

#include "ports/handler.h"

namespace tanggul::shield {

// The answers of /.tanggul/once/, never cached.
void once_reply(ports::Reply& reply, int status, const boost::json::object& what);
void once_refusal(ports::Reply& reply, int status, std::string_view type, std::string_view title,
                  std::string_view detail);

// What a client says of who it is, fit for a header line, a log and a terminal; at most 256 bytes.
std::string who_of(std::string_view said, std::string_view client);

}  // namespace tanggul::shield
