#include "tanggul/policy/fair_share.h"

#include <algorithm>

namespace tanggul::policy {

std::size_t FairShare::held(const std::string& client) const {
  const auto at = clients_.find(client);
  return at == clients_.end() ? 0 : at->second;
}

FairShare::Entry FairShare::ask(const std::string& client) const {
  const std::size_t own = held(client);
  const bool others = clients_.size() > (own > 0 ? 1U : 0U);
  if (capacity_ == 0) return Entry::refused;
  if (others && own >= std::max<std::size_t>(1, capacity_ / 2)) return Entry::refused;
  if (size_ < capacity_) return Entry::welcome;
  const bool greedy_other = greedy_ > (own > capacity_ / 2 ? 1U : 0U);
  return greedy_other ? Entry::displaces : Entry::refused;
}

void FairShare::set_capacity(std::size_t capacity) {
  capacity_ = capacity;
  greedy_ = static_cast<std::size_t>(std::count_if(
      clients_.begin(), clients_.end(), [&](const auto& c) { return c.second > capacity_ / 2; }));
}

void FairShare::enter(const std::string& client) {
  if (++clients_[client] == capacity_ / 2 + 1) ++greedy_;
  ++size_;
}

void FairShare::leave(const std::string& client) {
  const auto at = clients_.find(client);
  if (at == clients_.end()) return;
  --size_;
  if (at->second == capacity_ / 2 + 1) --greedy_;
  if (--at->second == 0) clients_.erase(at);
}

}  // namespace tanggul::policy
