#pragma once

#include <string_view>

#include "tanggul/http/message.h"

namespace tanggul::beast {

// Reads the head of a request that has nothing unusual about it: GET or HEAD, HTTP/1.1, no body, no
// field that concerns the connection but `Connection: keep-alive`, one good Host, plain characters.
// `bytes` is the head with its blank line. False: this says nothing of it, Beast has to read it.
//
// What this takes Beast takes too, and reads the same out of it; request_reader_test holds the two
// side by side. It is most of what a cache is asked, at a fifth of the instructions.
bool read_quickly(std::string_view bytes, http::RequestHead& head);

// The characters that a Host may have (RFC 3986 3.2.2); documents are rewritten with it.
bool is_authority(std::string_view host) noexcept;

}  // namespace tanggul::beast
