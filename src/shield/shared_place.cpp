#include "shield/shared_place.h"

namespace tanggul::shield {

ports::SharedRules shared_rules(const OriginConfig& config) {
  ports::SharedRules rules;
  if (config.breaker_shared) {
    rules.breaker = true;
    rules.window = config.breaker.window;
    rules.min_requests = config.breaker.min_requests;
    rules.failure_ratio = config.breaker.failure_ratio;
    rules.open_for = config.breaker.open_for;
    rules.max_open = config.breaker.max_open;
    rules.probes = config.breaker.probes;
    rules.probe_lease = config.breaker.probe_lease;
  }
  if (config.limit_shared) {
    // An adaptive limit follows what one node sees of the origin.
    if (!config.limit.adaptive) rules.concurrency = config.limit.concurrency;
    rules.rate = config.limit.rate;
    rules.burst = config.limit.burst;
    rules.daily = config.limit.daily;
  }
  return rules;
}

}  // namespace tanggul::shield
