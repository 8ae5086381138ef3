#pragma once

#include <cstdint>
#include <string>

#include "tanggul/base/clock.h"

namespace tanggul::bench {

// Requests of wrk, one thread of it on this thread's CPU.
struct WrkLoad {
  std::string target;    // of one key; of many: what they begin with
  std::size_t keys = 1;  // target0 … target(keys - 1) in turn
  std::size_t connections = 64;
  Duration length = std::chrono::seconds(1);  // whole seconds
};

// How many good answers came; throws where one was not good.
double run_wrk(std::uint16_t port, const WrkLoad& load);

}  // namespace tanggul::bench
