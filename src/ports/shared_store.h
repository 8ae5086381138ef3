#pragma once

#include <string>

#include "ports/leases.h"

namespace tanggul::ports {

struct Publication {
  std::string id;
  std::string token;     // of the lease, which is released by it
  std::string bytes;     // ≤ kLongestShared
  Duration lives{};      // after that it is gone
  bool failure = false;  // takes the failure's place instead of the entry's
  std::string holder;    // the address of the node where the body lies; empty: it is in `bytes`
};

// What one copy may weigh.
inline constexpr std::size_t kLongestShared = (1 << 20) + (64 << 10);

// Copies that all nodes see, bounded in bytes as a whole: what was written first goes first. One
// object a thread.
class SharedStore {
 public:
  virtual ~SharedStore() = default;

  struct Looked {
    bool available = false;
    SharedCopies copies;
  };
  virtual Task<Looked> look(std::string id, Patience& patience) = 0;

  enum class Published {
    yes,
    fenced,       // the lease was not the token's any more: nothing was written
    unavailable,  // not known; the lease is given back by itself
  };
  // Writes, releases the lease and wakes those who watch, in one step, if the lease is still the
  // token's and nothing of a later fence is there.
  virtual Task<Published> publish(Publication what, Patience& patience) = 0;

  // A node has got, or no longer has, the body of the entry of this version. At once, by itself.
  virtual void add_holder(std::string id, std::uint64_t version, std::string address) = 0;
  virtual void remove_holder(std::string id, std::string address) = 0;
};

}  // namespace tanggul::ports
