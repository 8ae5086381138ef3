#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::bench {

struct PacedLoad {
  std::size_t connections = 32;
  double rate = 0;  // requests a second; 0: the next one as soon as an answer is in
  std::uint64_t total = 0;
  std::function<std::string(std::uint64_t)> target;  // of the i-th request
  std::function<std::size_t(std::uint64_t)> group = [](std::uint64_t) { return std::size_t{0}; };
  std::size_t groups = 1;
};

struct PacedGroup {
  std::vector<double> latencies_ms;
  std::map<int, std::uint64_t> by_status;  // 0: the connection was cut
};

// Keep-alive connections that ask at a steady rate. A latency counts from the moment at which the
// request was due, not from when a connection was free, so that a stall is not left out of it
// (coordinated omission).
std::vector<PacedGroup> run_paced(std::uint16_t port, const PacedLoad& load);

}  // namespace tanggul::bench
