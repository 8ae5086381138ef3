#pragma once

#include <optional>
#include <string>

#include "base/metrics.h"
#include "ports/handler.h"
#include "ports/leases.h"
#include "shield/once_access.h"
#include "shield/once_files.h"
#include "shield/once_key.h"

namespace tanggul::shield {

struct OnceConfig {
  std::string token;  // that admits clients of other machines; empty: none does
};

// /.tanggul/once/KEY: of all who ask for KEY one builds, the others get the file that it made.
//
//     POST KEY          {"who": "host:pid"}, and Prefer: wait=N
//                       → {"state":"build","token":…,"fence":…,"ttl_seconds":30},
//                       {"state":"ready"},
//                         {"state":"building","by":…} or {"state":"failed","status":N,"by":…}
//     PUT KEY           the file, with Tanggul-Lease: TOKEN, Tanggul-Fence: FENCE, Repr-Digest,
//                       Content-Length and X-Tanggul-Built-By: 200; 409 when the lease is another's
//     POST KEY/renew    with Tanggul-Lease; 409 when it is lost
//     POST KEY/fail     {"status": N, "who": …}, likewise: told to all for 20 s
//     POST KEY/release  likewise: somebody else builds at once
//     GET  KEY          the file, or 404
//
// No build has any state here: its lease is the client's, which renews it, at whatever node; when
// the client dies the lease runs out. One object a thread.
class Once final : public ports::Handler {
 public:
  Once(Shield& shield, ports::Leases& leases, ports::SharedStore& store, const Outside& outside,
       const OnceConfig& config, Counter& leases_lost)
      : shield_(shield),
        leases_(leases),
        store_(store),
        leases_lost_(leases_lost),
        access_(config.token),
        files_(shield, store, outside) {}

  bool answer_now(ports::Call&, ports::Reply&) override { return false; }
  Task<void> answer(ports::Call& call, ports::Reply& reply) override;
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent) override {}

 private:
  // The lease of a build as its client shows it.
  struct Lease {
    std::string token;
    std::uint64_t fence = 0;
  };
  struct Asked;  // what the body of a POST says
  class Watch;

  Task<void> get(ports::Call& call, ports::Reply& reply, std::string key);
  Task<void> claim(ports::Call& call, ports::Reply& reply, std::string key);
  Task<void> put(ports::Call& call, ports::Reply& reply, std::string key);
  Task<void> renew(ports::Call& call, ports::Reply& reply, std::string key);
  Task<void> fail(ports::Call& call, ports::Reply& reply, std::string key);
  void release(ports::Call& call, ports::Reply& reply, const std::string& key);

  Task<bool> has(std::string key, ports::SharedCopies copies, async::WaiterPtr waiter);
  // nullopt: refused, as `reply` says.
  std::optional<Lease> lease_of(const ports::Call& call, ports::Reply& reply) const;
  Task<std::optional<Asked>> read_asked(ports::Call& call, ports::Reply& reply);
  bool may_put(const ports::Call& call, ports::Reply& reply) const;
  Task<bool> still_held(ports::Reply& reply, std::string key, Lease lease);
  Task<bool> receive(ports::Call& call, ports::Reply& reply, std::string key, Lease lease,
                     cache::Spool& spool, std::string& sha256);
  void lost(ports::Reply& reply, const std::string& key, bool told);

  Shield& shield_;
  ports::Leases& leases_;
  ports::SharedStore& store_;
  Counter& leases_lost_;
  const OnceAccess access_;
  OnceFiles files_;
};

}  // namespace tanggul::shield
