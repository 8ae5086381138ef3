#include "tanggul/policy/recent_growth.h"

namespace tanggul::policy {

RecentGrowth::RecentGrowth(MonoTime now, Values values) {
  ring_.push_back({now, std::move(values)});
}

void RecentGrowth::sample(MonoTime now, const Values& values) {
  if (now - ring_[newest_].at < kEvery) return;
  if (ring_.size() < kSamples) {
    ring_.push_back({now, values});
    newest_ = ring_.size() - 1;
    return;
  }
  newest_ = (newest_ + 1) % kSamples;
  ring_[newest_].at = now;
  ring_[newest_].values = values;
}

// Where nobody has sampled for so long that nothing lies within, it is the last one before.
RecentGrowth::Values RecentGrowth::growth(MonoTime now, Duration span, const Values& values) const {
  const Sample* from = &ring_[newest_];
  for (const Sample& s : ring_)
    if (s.at >= now - span && s.at < from->at) from = &s;
  Values out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = values[i] > from->values[i] ? values[i] - from->values[i] : 0;
  return out;
}

}  // namespace tanggul::policy
