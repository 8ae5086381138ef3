#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cache/copy_format.h"
#include "ports/leases.h"
#include "ports/membership.h"
#include "ports/shared_store.h"
#include "shield/shield.h"

namespace tanggul::shield {

class Cluster;

// What the nodes call the flight or the object of a key: 32 hex digits.
std::string shared_id(std::string_view flight_key);

// One thread's way to the copies that the nodes of a cluster share.
class SharedCache {
 public:
  // A body of more than this stays where it was fetched, and the others are told where that is.
  static constexpr ByteCount kLongestBody = 1_MiB;

  // `cluster` null: this node is alone, and nothing was purged elsewhere.
  SharedCache(Shield& shield, ports::SharedStore& store, const Cluster* cluster)
      : shield_(shield), store_(store), cluster_(cluster) {}

  // What a copy holds, taken apart and checked. `entry` has its bodies, unless `elsewhere`.
  struct Read {
    std::string key;
    std::shared_ptr<cache::Entry> entry;
    cache::Variant variant;
    std::vector<ByteCount> sizes;  // of the bodies
    bool elsewhere = false;        // they lie at one of the holders
    std::vector<std::string> holders;
  };
  // nullopt: none, damaged, of another version of us, or purged since. `generation`: of this node's
  // own purges, from before the copies were asked for.
  std::optional<Read> read(const ports::SharedCopies& copies, cache::Generation generation) const;
  std::optional<cache::Copy> read_failure(const ports::SharedCopies& copies) const;

  // Puts an entry with its bodies where a look-up finds it: under `primary`, or as the variant that
  // it is. What it is stored under; empty: it is not.
  std::string keep(const std::string& primary, const Read& read) const;

  struct Published {
    std::string id, token;
    std::uint64_t fence = 0;
    ports::PurgePlace asked_at;
  };
  // Publishes what was fetched under a lease, and releases that.
  Task<ports::SharedStore::Published> publish(Published under, std::string key,
                                              cache::EntryPtr entry, cache::Variant variant,
                                              ports::Patience& patience);
  Task<ports::SharedStore::Published> publish_failure(Published under, cache::Failure failure,
                                                      Duration lives, ports::Patience& patience);

 private:
  Shield& shield_;
  ports::SharedStore& store_;
  const Cluster* const cluster_;
};

}  // namespace tanggul::shield
