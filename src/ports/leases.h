#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "async/task.h"
#include "async/waiter.h"
#include "ports/patience.h"
#include "tanggul/base/clock.h"

namespace tanggul::ports {

// What the nodes share under an id: bytes that only their writer understands.
struct SharedCopy {
  std::string bytes;
  std::uint64_t version = 0;  // the fence of the lease under which it was published; never 0
};

// Of one id. A failure lies beside the entry that it could not renew; a new entry takes it away.
struct SharedCopies {
  std::optional<SharedCopy> entry, failure;
  std::vector<std::string> holders;  // addresses of nodes where the body of `entry` lies
};

struct LeaseRequest {
  std::string id;      // what the lease is for
  std::string token;   // random, the holder's alone: release and renew compare it
  std::string holder;  // told to whoever finds the lease taken; ≤ 1 KiB
  Duration ttl{};
  // Versions of the copies that the caller has seen; 0: none.
  std::uint64_t known_entry = 0, known_failure = 0;
};

struct Acquired {
  enum class Kind {
    held,         // it is the caller's
    busy,         // somebody else's
    copied,       // not taken: there is a copy that the caller has not seen
    unavailable,  // not known; nothing is held, and if something was taken it is given back
  };
  Kind kind = Kind::unavailable;
  // Grows with each holder of this id, also over a loss of all that the store held. The own one
  // when held, the holder's when busy.
  std::uint64_t fence = 0;
  std::string holder;     // when busy
  Duration left{};        // when busy: of the holder's time
  SharedCopies copies{};  // when copied: those that are new to the caller, and the holders
};

// One holder an id in the whole cluster, for a time. A lease is for efficiency: after a pause of
// its holder there may be two, which the fence tells apart when their results are published. One
// object a thread.
class Leases {
 public:
  virtual ~Leases() = default;

  // Looks for copies first and takes the lease only if there is none that is new, in one step: what
  // landed between the caller's miss and now is found.
  virtual Task<Acquired> acquire(LeaseRequest request, Patience& patience) = 0;

  enum class Renewal { held, lost, unavailable };
  virtual Task<Renewal> renew(std::string id, std::string token, Duration ttl,
                              Patience& patience) = 0;
  // Comes back at once and is carried out by itself, whatever becomes of the caller. Wakes those
  // who watch the id. Does nothing to a lease that another token holds by now.
  virtual void release(std::string id, std::string token) = 0;

  // Wakes `waiter` whenever the id's lease is released or something is published under it, on
  // whatever node, until unwatch(). A wake may be lost: who waits looks again by itself.
  virtual void watch(const std::string& id, const async::WaiterPtr& waiter) = 0;
  virtual void unwatch(const std::string& id, const async::WaiterPtr& waiter) = 0;
};

}  // namespace tanggul::ports
