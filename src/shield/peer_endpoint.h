#pragma once

#include "cache/copy_format.h"
#include "ports/handler.h"
#include "shield/cluster.h"
#include "shield/shield.h"

namespace tanggul::shield {

// What other nodes may ask of this one, below /.tanggul/peer/, each with `Tanggul-Key`, the key in
// base64, whose id is the last part of the path, and `Tanggul-Auth`:
//
//   GET flight/ID   the flight that runs here under a key: its bytes as they arrive, or how it has
//                   ended while the other node waited for them. It starts none: 404.
//   GET entry/ID    what is stored here under a key, from memory or disk
//
// Without the secret all of it is a path that does not exist. The answer is a body as clients would
// get it (`Tanggul-Copy: stream`), or a copy (`copy`, see copy_format.h), or only says that the
// flight's answer may not be shared (`unshared`). One object a thread.
class PeerEndpoint final : public ports::Handler {
 public:
  PeerEndpoint(Shield& shield, Cluster& cluster) : shield_(shield), cluster_(cluster) {}

  // Whether `call` is for this handler and comes from a node.
  bool admits(const ports::Call& call) const;

  bool answer_now(ports::Call&, ports::Reply&) override { return false; }
  Task<void> answer(ports::Call& call, ports::Reply& reply) override;
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent) override {}

 private:
  Task<void> answer_flight(ports::Call& call, ports::Reply& reply, std::string key);
  Task<void> answer_entry(ports::Call& call, ports::Reply& reply, std::string key);
  Task<void> deliver_view(ports::Reply& reply, cache::FlightPtr flight, cache::Flight::View view,
                          std::string key);
  void deliver_failed(ports::Reply& reply, const cache::Flight& flight,
                      const cache::Failure& failure) const;
  Task<void> deliver_stored(ports::Reply& reply, std::string key, cache::EntryPtr entry,
                            cache::Variant variant, bool keep);
  static void deliver_body(ports::Reply& reply, const cache::EntryPtr& entry,
                           const cache::Variant& variant);

  Shield& shield_;
  Cluster& cluster_;
};

}  // namespace tanggul::shield
