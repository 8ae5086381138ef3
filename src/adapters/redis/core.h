#pragma once

#include <array>

#include "adapters/redis/health.h"
#include "adapters/redis/keys.h"
#include "adapters/redis/redis_cluster.h"
#include "adapters/redis/wakes.h"

namespace tanggul::redis {

// What a command is for: the label of its errors.
enum class Op { connect, acquire, renew, release, look, publish, limits, membership };
inline constexpr std::size_t kOps = 8;

// What all threads of a node share. Thread-safe, by its parts.
struct Core {
  Core(RedisConfig c, MetricSet& metrics);

  Counter& errors(Op op) const { return *errors_by_op[static_cast<std::size_t>(op)]; }

  const RedisConfig config;
  const Keys keys;
  Health health;
  Counter& commands;
  Wakes ids, places;
  std::array<Counter*, kOps> errors_by_op{};
};

}  // namespace tanggul::redis
