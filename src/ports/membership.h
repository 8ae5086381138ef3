#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "async/task.h"
#include "ports/shared_limits.h"
#include "tanggul/base/clock.h"

namespace tanggul::ports {

// How far a node has followed the cluster's purges. An epoch begins when the store that keeps them
// was empty.
struct PurgePlace {
  std::string epoch;  // empty: none seen
  std::uint64_t sequence = 0;
};

struct SharedPurge {
  std::uint64_t sequence = 0;  // of its epoch, without gaps
  std::uint8_t rule = 0;       // as its writer numbers them
  std::string what;
};

// What a node hears of the others. Called on the member's thread; does not wait.
class MembershipListener {
 public:
  virtual ~MembershipListener() = default;
  // The shared store can be reached, or cannot any more; `why` in a few words.
  virtual void on_reach(bool reachable, const std::string& why) = 0;
  virtual void on_nodes(std::size_t alive) = 0;  // with this one; at least 1
  // The next purges, in order, this node's own among them. `place` is where the last of them
  // stands. `complete` is false when some between the last place and these are not known any more.
  virtual void on_purges(const PurgePlace& place, const std::vector<SharedPurge>& purges,
                         bool complete) = 0;
  virtual PurgePlace purges_seen() const = 0;
  virtual void on_breaker(const std::string& origin, const BreakerView& view) = 0;
  virtual void on_pause(const std::string& origin, const std::string& credential,
                        Duration pause) = 0;
};

// This node among the others. One object a process, on one thread.
class Membership {
 public:
  virtual ~Membership() = default;
  // Tells all nodes, those that cannot be reached now once they can; false: it could not be told.
  virtual Task<bool> purge(std::vector<SharedPurge> purges) = 0;
  // The origin and all credentials may be asked again, by whatever node.
  virtual void end_pauses(const std::string& origin) = 0;
};

}  // namespace tanggul::ports
