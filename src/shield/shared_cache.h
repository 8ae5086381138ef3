#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cache/entry.h"
#include "ports/leases.h"
#include "ports/membership.h"
#include "ports/shared_store.h"
#include "shield/shield.h"

namespace tanggul::shield {

// What the nodes call the flight or the object of a key: 32 hex digits.
std::string shared_id(std::string_view flight_key);

// One thread's way to the copies that the nodes of a cluster share.
class SharedCache {
 public:
  SharedCache(Shield& shield, ports::SharedStore& store, std::string advertise)
      : shield_(shield), store_(store), advertise_(std::move(advertise)) {}

  // What a copy holds, taken apart and checked. `entry` has its bodies, unless `elsewhere`.
  struct Read {
    std::string key;
    std::shared_ptr<cache::Entry> entry;
    bool elsewhere = false;  // its body lies at one of the holders
    std::uint64_t version = 0;
    std::vector<std::string> holders;
  };
  // nullopt: none, damaged, of another version of us, or purged since.
  std::optional<Read> read(const ports::SharedCopies& copies) const;
  std::optional<cache::Failure> read_failure(const ports::SharedCopies& copies) const;

  // Publishes what was fetched under a lease. A body that is too long for the store stays here, and
  // the others are told where it is.
  Task<ports::SharedStore::Published> publish(std::string id, std::string token,
                                              std::string_view key, const cache::Entry& entry,
                                              ports::PurgePlace asked_at,
                                              ports::Patience& patience);
  Task<ports::SharedStore::Published> publish_failure(std::string id, std::string token,
                                                      const cache::Failure& failure, Duration lives,
                                                      ports::PurgePlace asked_at,
                                                      ports::Patience& patience);

 private:
  Shield& shield_;
  ports::SharedStore& store_;
  const std::string advertise_;
};

}  // namespace tanggul::shield
