#pragma once

#include "tanggul/http/message.h"

namespace tanggul::shield {

// A response's headers as clients get them: end to end, dated, without what is written anew on each
// answer; of a registry's shared answer without its cookies (`drop_cookies`).
http::Headers client_headers(http::Headers headers, bool drop_cookies);

}  // namespace tanggul::shield
