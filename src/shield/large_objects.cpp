#include "shield/large_objects.h"

#include <algorithm>

namespace tanggul::shield {

void LargeObjects::note(const std::string& key, ByteCount size, MonoTime now) {
  const Lock lock(mutex_);
  if (known_.size() >= kMost && !known_.contains(key))
    known_.erase(std::min_element(known_.begin(), known_.end(), [](const auto& a, const auto& b) {
      return a.second.until < b.second.until;
    }));
  known_[key] = {size, now + kKept};
}

std::optional<ByteCount> LargeObjects::size_of(const std::string& key, MonoTime now) const {
  const Lock lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end() || found->second.until <= now) return std::nullopt;
  return found->second.size;
}

}  // namespace tanggul::shield
