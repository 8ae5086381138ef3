#include "adapters/redis/core.h"

namespace tanggul::redis {
namespace {
constexpr std::string_view kNames[kOps] = {"connect", "acquire", "renew",  "release",
                                           "look",    "publish", "limits", "membership"};
}

Core::Core(RedisConfig c, MetricSet& metrics)
    : config(std::move(c)),
      keys(config.prefix, config.address.database),
      health(metrics.gauge("tanggul_redis_up", "1 while the shared store can be reached.")),
      commands(metrics.counter("tanggul_redis_commands_total", "Commands sent to Redis.")) {
  for (std::size_t i = 0; i < kOps; ++i) {
    errors_by_op[i] = &metrics.counter(
        "tanggul_redis_errors_total",
        "Calls of Redis that failed, and connections that broke, by what they were for.",
        {{"op", std::string(kNames[i])}});
  }
}

}  // namespace tanggul::redis
