// A file that a client has built, on its way into the cache.
#include <cerrno>
#include <memory>

#include "base/log.h"
#include "http/repr_digest.h"
#include "shield/once.h"
#include "shield/once_reply.h"

namespace tanggul::shield {
namespace {

using Published = ports::SharedStore::Published;

constexpr std::size_t kPiece = 64_KiB;
constexpr ByteCount kOffloadFrom = 1_MiB;

}  // namespace

// What can be told before the body comes.
bool Once::may_put(const ports::Call& call, ports::Reply& reply) const {
  const ByteCount most = shield_.routes()->once_max_object;
  const auto length = call.body ? call.body->length() : std::optional<ByteCount>(0);
  if (!length) {
    once_refusal(reply, 411, "once-length", "Its length is not told", "send Content-Length");
  } else if (*length > most || !files_.takes(*length)) {
    once_refusal(reply, 413, "limit", "The file is too large",
                 "max_object of defaults, and the cache's room for one file, bound it");
  } else if (!http::sha256_of_repr_digest(call.head.joined("repr-digest"))) {
    once_refusal(reply, 400, "once-digest", "Its digest is not told",
                 "send Repr-Digest: sha-256=:…:, of the whole file");
  } else if (!call.head.has("tanggul-fence")) {
    once_refusal(reply, 400, "once-lease", "The lease is not told whole",
                 "send as Tanggul-Fence the number that the claim was answered with");
  } else {
    return true;
  }
  return false;
}

Task<void> Once::put(ports::Call& call, ports::Reply& reply, std::string key) {
  const auto lease = lease_of(call, reply);
  if (!lease || !may_put(call, reply)) co_return;
  ports::Patience patience;
  const auto looked = co_await store_.look(once_id(key), patience);
  if (looked.copies.entry && looked.copies.entry->version >= lease->fence) {
    lost(reply, key, true);
    co_return;
  }
  const cache::Generation generation = shield_.purges().now();
  const ports::PurgePlace asked_at = files_.place();
  cache::Spool spool(shield_.spool_directory(), call.body ? call.body->length() : std::nullopt);
  std::string sha256;
  const bool received = co_await receive(call, reply, key, *lease, spool, sha256);
  if (!received) co_return;
  const std::string by = who_of(call.head.find("x-tanggul-built-by").value_or(""), call.client);
  std::optional<Result<cache::EntryPtr>> made;
  if (spool.size() > kOffloadFrom) {
    co_await shield_.offload().run([&] { made = files_.make(spool, sha256, by, generation); });
  } else {
    made = files_.make(spool, sha256, by, generation);
  }
  if (!*made) {
    once_refusal(reply, 507, "io", "The file could not be read back", "of the spool");
    co_return;
  }
  // The body took its time: what the first look has spent does not count against it.
  ports::Patience for_publishing;
  const auto end =
      co_await files_.publish(key, lease->token, made->value(), asked_at, for_publishing);
  if (end.how == Published::fenced) {
    lost(reply, key, true);
  } else if (end.how == Published::unavailable) {
    once_refusal(reply, 503, "once-unavailable", "The cluster's store cannot be reached",
                 "the file was not kept");
  } else if (!end.kept) {
    once_refusal(reply, 507, "limit", "There is no room for the file", "cache.memory, cache.disk");
  } else {
    log::info("once {}: built by {}, {} bytes", printable(key), by, spool.size());
    shield_.once_builds().add({key, by, wall_now(), spool.size(), 0});
    once_reply(reply, 200, {{"state", "stored"}});
  }
}

// The body into the spool, the lease kept alive meanwhile. False: refused, or the client has gone.
Task<bool> Once::receive(ports::Call& call, ports::Reply& reply, std::string key, Lease lease,
                         cache::Spool& spool, std::string& sha256) {
  Digest digest(DigestKind::sha256);
  const auto piece = std::make_unique<char[]>(kPiece);
  MonoTime renewed;  // never
  for (;;) {
    if (const MonoTime now = MonoClock::now(); now - renewed >= shield_.routes()->lease_ttl / 3) {
      const bool held = co_await still_held(reply, key, lease);
      if (!held) {
        if (reply.status == 409) lost(reply, key, true);
        co_return false;
      }
      renewed = now;
    }
    if (!call.body) break;
    const auto got = co_await call.body->read_some(piece.get(), kPiece);
    if (!got) co_return false;  // the connection tells
    if (*got == 0) break;
    const std::string_view bytes(piece.get(), *got);
    digest.update(bytes);
    const ByteCount before = spool.size();
    if (spool.append(bytes)) continue;
    const ByteCount left = call.body->length().value_or(0) - before;
    if (shield_.make_room(errno, left) && spool.append(bytes.substr(spool.size() - before)))
      continue;
    once_refusal(reply, 507, "io", "The file could not be spooled", "the disk takes no more");
    co_return false;
  }
  sha256 = digest.finish();
  const auto told = http::sha256_of_repr_digest(call.head.joined("repr-digest"));
  if (told == sha256) co_return true;
  once_refusal(reply, 422, "once-digest", "The file is not what its digest says",
               "it was damaged on its way, or changed while it was sent");
  co_return false;
}

}  // namespace tanggul::shield
