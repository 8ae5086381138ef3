#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "async/waiter.h"
#include "cache/entry.h"
#include "cache/flight.h"
#include "cache/spool.h"
#include "ports/membership.h"
#include "ports/shared_store.h"
#include "shield/outside.h"
#include "shield/shield.h"

namespace tanggul::shield {

std::string once_etag(std::string_view sha256);

// What was built once: the files, which lie in the cache of the node that took them, and what the
// nodes tell each other of them. One object a thread.
class OnceFiles {
 public:
  static constexpr Duration kKept = 24h;
  static constexpr Duration kFailureKept = 20s;

  // `outside` is the lane's.
  OnceFiles(Shield& shield, ports::SharedStore& store, const Outside& outside);

  // The file of a key, if this node has it; null: not, or not any more.
  Task<cache::EntryPtr> find(std::string key, async::WaiterPtr waiter);
  // The same without a look at the disk.
  cache::EntryPtr at_hand(const std::string& key);
  // The file that `copies` tell of, which is here or is brought here; null: it cannot be had.
  Task<cache::EntryPtr> bring(std::string key, ports::SharedCopies copies, async::WaiterPtr waiter);

  // Whether a body of this size can be kept at all.
  bool takes(ByteCount size) const;
  // `generation`: of the purges, from before the body came.
  Result<cache::EntryPtr> make(const cache::Spool& spool, const std::string& sha256,
                               const std::string& by, cache::Generation generation) const;
  // Tells all and keeps it, if the lease is still the token's. `kept` false: there was no room.
  struct Published {
    ports::SharedStore::Published how = ports::SharedStore::Published::unavailable;
    bool kept = false;
  };
  // `asked_at`: place(), from before the body came.
  Task<Published> publish(std::string key, std::string token, cache::EntryPtr entry,
                          ports::PurgePlace asked_at, ports::Patience& patience);
  ports::PurgePlace place() const;  // of the cluster's purges

  struct Failure {
    int status = 1;  // of the command
    std::string by;
  };
  Task<ports::SharedStore::Published> publish_failure(std::string key, std::string token,
                                                      Failure failure, ports::Patience& patience);
  // nullopt: none, or purged since.
  std::optional<Failure> failure(const std::string& key, const ports::SharedCopies& copies) const;

 private:
  bool purged(const std::string& key, const boost::json::object& told) const;
  Task<cache::EntryPtr> bring_from_elsewhere(std::string key, ports::SharedCopies copies,
                                             std::string sha256, bool settled,
                                             async::WaiterPtr waiter);
  Task<cache::EntryPtr> ask_holders(std::string key, ports::SharedCopies copies, std::string sha256,
                                    bool settled, cache::FlightPtr flight);
  cache::EntryPtr take(const std::string& key, cache::EntryPtr entry, std::uint64_t version);

  Shield& shield_;
  ports::SharedStore& store_;
  const Outside outside_;
  const std::string advertise_;  // empty: this node is alone
};

}  // namespace tanggul::shield
