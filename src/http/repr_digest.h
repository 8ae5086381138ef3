#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tanggul::http {

// The SHA-256 of a representation in Repr-Digest (RFC 9530), raw; members of other algorithms are
// passed over. nullopt: there is none, or it is none.
std::optional<std::string> sha256_of_repr_digest(std::string_view value);
std::string write_repr_digest(std::string_view sha256);

}  // namespace tanggul::http
