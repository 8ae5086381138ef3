#include "adapters/redis/lane_ports.h"
#include "adapters/redis/limits_wire.h"

namespace tanggul::redis {
namespace {

using ports::Acquired;
using ports::SharedCopy;

class RedisLeases : public ports::Leases {
 public:
  explicit RedisLeases(std::shared_ptr<Lane> lane) : lane_(std::move(lane)) {}

  Task<Acquired> acquire(ports::LeaseRequest request, ports::Patience& patience) override {
    const auto lane = lane_;
    const Keys& k = lane->keys();
    const std::string& id = request.id;
    Call call{{k.lease(id), k.entry(id), k.failure(id), k.holders(id)},
              {tagged(request.token) + request.holder, in_us(request.ttl),
               padded(request.known_entry), padded(request.known_failure)}};
    Outcome outcome = co_await lane->run(scripts::kAcquire, std::move(call), Op::acquire, patience);
    Acquired acquired;
    if (outcome.reply) {
      acquired = acquired_in(*outcome.reply);
    } else if (outcome.perhaps_done) {
      give_back(*lane, request.id, request.token, request.ttl);
    }
    co_return acquired;
  }

  Task<Renewal> renew(std::string id, std::string token, Duration ttl,
                      ports::Patience& patience) override {
    const auto lane = lane_;
    Call call{{lane->keys().lease(id)}, {tagged(token), in_us(ttl)}};
    Outcome outcome = co_await lane->run(scripts::kRenew, std::move(call), Op::renew, patience);
    if (!outcome.reply) co_return Renewal::unavailable;
    co_return outcome.reply->number == 1 ? Renewal::held : Renewal::lost;
  }

  void release(std::string id, std::string token) override {
    give_back(*lane_, id, token, kLongestLease);
  }

  void watch(const std::string& id, const async::WaiterPtr& waiter) override {
    lane_->core().ids.watch(id, waiter);
  }
  void unwatch(const std::string& id, const async::WaiterPtr& waiter) override {
    lane_->core().ids.unwatch(id, waiter);
  }

 private:
  static Acquired acquired_in(Reply& reply) {
    Acquired a;
    const std::int64_t kind = reply.integer(0);
    if (reply.is(Reply::Kind::string)) {
      a.fence = version_of(reply.text);
      if (a.fence != 0) a.kind = Acquired::Kind::held;
    } else if (kind == 1) {
      a.kind = Acquired::Kind::busy;
      a.fence = version_of(reply.at(1).text);
      a.holder = std::move(reply.at(2).text);
      a.left = std::chrono::milliseconds(std::max<std::int64_t>(reply.integer(3), 0));
    } else if (kind == 2) {
      a.kind = Acquired::Kind::copied;
      a.copies = copies_in(reply, 1);
    }
    return a;
  }

  std::shared_ptr<Lane> lane_;
};

std::optional<SharedCopy> copy_in(Reply& reply) {
  if (!reply.is(Reply::Kind::string) || reply.text.size() < kVersionDigits) return std::nullopt;
  SharedCopy copy{.bytes = std::move(reply.text), .version = 0};
  copy.version = version_of(copy.bytes);
  copy.bytes.erase(0, kVersionDigits);
  return copy;
}

}  // namespace

ports::SharedCopies copies_in(Reply& reply, std::size_t first) {
  ports::SharedCopies copies{
      .entry = copy_in(reply.at(first)), .failure = copy_in(reply.at(first + 1)), .holders = {}};
  for (Reply& holder : reply.at(first + 2).items) copies.holders.push_back(std::move(holder.text));
  return copies;
}

std::string tagged(const std::string& token) {
  const std::string digits = std::to_string(token.size());
  return std::string(8 - digits.size(), '0') + digits + token;
}

std::string in_ms(Duration d) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(d).count();
  return std::to_string(std::max<std::int64_t>(ms, 1));
}

Chore giving_back(const Keys& keys, const std::string& id, const std::string& token,
                  Duration worth) {
  return {.script = &scripts::kRelease,
          .call = {{keys.lease(id)}, {tagged(token), keys.channel("wake"), id}},
          .op = Op::release,
          .worth_until = MonoClock::now() + worth,
          .then = {},
          .again = {}};
}

void give_back(Lane& lane, const std::string& id, const std::string& token, Duration worth) {
  lane.chore(giving_back(lane.keys(), id, token, worth));
}

std::unique_ptr<ports::Leases> make_leases(std::shared_ptr<Lane> lane) {
  return std::make_unique<RedisLeases>(std::move(lane));
}

}  // namespace tanggul::redis
