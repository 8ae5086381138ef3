#pragma once

#include <string>
#include <string_view>

#include "ports/handler.h"

namespace tanggul::ports {

// A short answer of our own: never cached, never taken for another type.
void reply_with(Reply& reply, int status, std::string_view type, std::string body);

}  // namespace tanggul::ports
