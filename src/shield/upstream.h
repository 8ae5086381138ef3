#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shield/config.h"
#include "shield/origin_state.h"
#include "shield/pattern_state.h"

namespace tanggul::shield {

struct PatternMetrics {
  std::string name;
  PatternState* state;
  Counter* shared;
  Counter* flights_started;
};

// One origin as it is configured now. A reload puts another in its place; whoever is on its way
// keeps the one it began with. What is known of the origin lies in the state, which both share.
// Immutable.
class Upstream : public std::enable_shared_from_this<Upstream> {
 public:
  // `patterns`: one state for each of the configuration's key patterns.
  Upstream(OriginConfig config, OriginState& state, const std::vector<PatternState*>& patterns);

  const OriginConfig& config() const noexcept { return config_; }
  OriginState& state() const noexcept { return state_; }
  const OriginMetrics& metrics() const noexcept { return state_.metrics(); }
  const std::vector<PatternMetrics>& patterns() const noexcept { return patterns_; }

 private:
  const OriginConfig config_;
  OriginState& state_;
  std::vector<PatternMetrics> patterns_;
};
using UpstreamPtr = std::shared_ptr<const Upstream>;

}  // namespace tanggul::shield
