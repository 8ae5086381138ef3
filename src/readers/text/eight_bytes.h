#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tanggul::readers {

// A text eight bytes at a time, in one number: what is true of a byte shows in its highest bit.
constexpr std::uint64_t kOnes = 0x0101010101010101, kHighBits = kOnes * 0x80;

inline std::uint64_t eight_bytes(std::string_view text, std::size_t at) {
  std::uint64_t eight;
  std::memcpy(&eight, text.data() + at, 8);
  return eight;
}

}  // namespace tanggul::readers
