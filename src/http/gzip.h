#pragma once

#include <string>
#include <string_view>

namespace tanggul::http {

// `bytes` as one gzip member (RFC 1952), at a level that suits documents fetched often.
std::string gzip(std::string_view bytes);

}  // namespace tanggul::http
