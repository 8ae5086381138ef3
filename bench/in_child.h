#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace tanggul::bench {

// What a piece of work cost a process of its own.
struct Cost {
  double cpu = 0, wall = 0;   // seconds
  std::uint64_t grown = 0;    // bytes that the resident memory rose by at its highest
  std::uint64_t highest = 0;  // resident memory at its highest
};

// Does the work in a child, which ends with it. None: it failed, or took longer than ten minutes of
// CPU. `prepare` is not counted.
std::optional<Cost> in_child(const std::function<void()>& prepare,
                             const std::function<bool()>& work);

// For `prepare`, where memory is to be told: what was freed before is given back, and large blocks
// come from the system, so that no growth hides in what the parent had. The work is slower for it.
void settle_memory();

}  // namespace tanggul::bench
