#include "shield/upstream.h"

namespace tanggul::shield {

Upstream::Upstream(OriginConfig config, OriginState& state, MetricSet& metrics)
    : config_(std::move(config)), state_(state) {
  for (const std::string& pattern : config_.key_patterns)
    patterns_.push_back({pattern,
                         &metrics.counter("singleflight_shared_total",
                                          "Responses that another request's fetch paid for",
                                          {{"key_pattern", pattern}}),
                         &metrics.counter("tanggul_flights_started_total", "Fetches started",
                                          {{"key_pattern", pattern}})});
}

}  // namespace tanggul::shield
