#include "shield/upstream.h"

namespace tanggul::shield {

Upstream::Upstream(OriginConfig config, OriginState& state,
                   const std::vector<PatternState*>& patterns)
    : config_(std::move(config)), state_(state) {
  for (std::size_t i = 0; i < patterns.size(); ++i)
    patterns_.push_back({config_.key_patterns[i], patterns[i], &patterns[i]->shared(),
                         &patterns[i]->flights_started()});
}

}  // namespace tanggul::shield
