#pragma once

#include <string>

namespace tanggul::beast {

// A whole answer, head and problem document, to a request that goes no further than the server:
// 400 405 408 413 414 431 501 505.
std::string refusal(int status);

// To HTTP on a port that speaks TLS: 400.
std::string refusal_of_plain_http();

}  // namespace tanggul::beast
