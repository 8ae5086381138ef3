#pragma once

#include <string>
#include <string_view>

#include "ports/handler.h"

namespace tanggul::app {

// An answer of the admin port: never cached, never taken for another type.
void reply_with(ports::Reply& reply, int status, std::string_view type, std::string body);

}  // namespace tanggul::app
