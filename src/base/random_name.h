#pragma once

#include <cstddef>
#include <string>

namespace tanggul {

// A name that nobody else has and nobody can guess, so many bytes from the system's source of
// secrets in hex. Throws std::runtime_error where that has none to give.
std::string random_name(std::size_t bytes = 16);

}  // namespace tanggul
