#pragma once

#include <functional>
#include <string>

#include "base/digest.h"
#include "cache/entry.h"

namespace tanggul::cache {

// Whether a body of this length lies in a file of its own, where other keys may share it, and not
// behind its entry's head: one that is worth a second file. Part of the format.
inline bool has_own_file(const Entry& entry, ByteCount length) noexcept {
  constexpr ByteCount kBehindItsHead = 64_KiB;
  return entry.forms.size() == 1 && length > kBehindItsHead;
}

// Hands out a body from its first byte to its last, wherever it lies. False: it cannot be read, or
// `take` has returned false.
bool each_piece(const Body& body, const std::function<bool(std::string_view piece)>& take);

// SHA-256 of a part of a file; empty if it cannot be read.
std::string digest_of(const File& file, ByteCount offset, ByteCount length);

}  // namespace tanggul::cache
