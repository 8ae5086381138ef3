#include "policy/fair_share.h"

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
  const bool greedy = std::any_of(clients_.begin(), clients_.end(), [&](const auto& c) {
    return c.first != client && c.second > capacity_ / 2;
  });
  return greedy ? Entry::displaces : Entry::refused;
}

void FairShare::enter(const std::string& client) {
  ++clients_[client];
  ++size_;
}

void FairShare::leave(const std::string& client) {
  const auto at = clients_.find(client);
  if (at == clients_.end()) return;
  --size_;
  if (--at->second == 0) clients_.erase(at);
}

}  // namespace tanggul::policy
