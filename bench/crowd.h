#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::bench {

struct Reading {
  int status = 0;
  std::uint64_t body = 0;
  bool complete = false;  // as long as it said
  bool cut = false;       // ended by the peer before that
  Duration first_byte{};
  Duration last_byte{};
};

struct Crowd {
  std::string target;
  std::size_t readers = 1;
  // The first reader takes no more than this; 0: as fast as the others.
  std::uint64_t slow_bytes_per_second = 0;
  bool slow_leaves_with_the_rest = false;  // else it stays to its end
  bool leave_at_head = false;              // everybody, once the head is in
  Duration deadline = std::chrono::seconds(180);
};

// Opens all connections, then asks on all at once, and reads without looking: bodies are discarded
// in the kernel, so that hundreds of 64 MiB cost the load generator little. For large bodies;
// test::burst looks at the bytes.
std::vector<Reading> read_all(std::uint16_t port, const Crowd& crowd);

}  // namespace tanggul::bench
