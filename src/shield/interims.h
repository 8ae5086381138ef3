#pragma once

#include <string>
#include <utility>
#include <vector>

#include "async/waiter.h"
#include "tanggul/http/message.h"

namespace tanggul::shield {

// The interim responses (RFC 9110 15.2) of one fetch, on their way to the request that started it:
// they are of the hop's moment, so nobody else gets them and no cache keeps them. Both ends are on
// one thread. What comes after kMost is dropped, as a client may be told nothing at all.
class Interims {
 public:
  explicit Interims(async::WaiterPtr waiter) : waiter_(std::move(waiter)) {}

  void put(http::ResponseHead head);
  // The heads since the last call, as they go out; wakes the waiter when there are new ones.
  std::string take() { return std::exchange(heads_, {}); }
  bool empty() const noexcept { return heads_.empty(); }

 private:
  static constexpr int kMost = 16;

  const async::WaiterPtr waiter_;
  std::string heads_;
  int count_ = 0;
};

}  // namespace tanggul::shield
