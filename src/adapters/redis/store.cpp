#include "adapters/redis/lane_ports.h"

namespace tanggul::redis {
namespace {

using ports::Publication;

constexpr std::size_t kMostHolders = 16;
constexpr std::size_t kAnswerLost = 5;  // of the arguments of scripts/charge.lua, from 0
constexpr ByteCount kKeyWeighs = 512;   // a key with its place in Redis's tables

// What goes out between the charge and the eviction that it calls for is written beyond the most.
ByteCount budget(ByteCount memory) { return memory - std::min<ByteCount>(memory / 8, 8_MiB); }

// The copy, its key's and its account's names, and the set of holders.
ByteCount weight_of(std::size_t id, std::size_t bytes, std::size_t holder) {
  return 2 * kKeyWeighs + 4 * id + bytes + (holder > 0 ? kKeyWeighs + kMostHolders * holder : 0);
}

class RedisStore : public ports::SharedStore {
 public:
  explicit RedisStore(std::shared_ptr<Lane> lane) : lane_(std::move(lane)) {}

  Task<Looked> look(std::string id, ports::Patience& patience) override {
    const auto lane = lane_;
    const Keys& k = lane->keys();
    Call call{{k.entry(id), k.failure(id), k.holders(id)}, {}};
    Outcome outcome = co_await lane->run(scripts::kLook, std::move(call), Op::look, patience);
    Looked looked;
    if (outcome.reply) {
      looked.available = true;
      looked.copies = copies_in(*outcome.reply, 0);
    }
    co_return looked;
  }

  Task<Published> publish(Publication what, ports::Patience& patience) override {
    const auto lane = lane_;
    const std::string id = what.id, token = what.token;
    const bool failure = what.failure;
    const ByteCount weight = weight_of(id.size(), what.bytes.size(), what.holder.size());
    if (what.bytes.size() > ports::kLongestShared || weight > budget(lane->core().config.memory) ||
        what.lives < Duration(1ms) || !lane->serves()) {
      give_back(*lane, id, token, kLongestLease);
      co_return Published::unavailable;
    }
    charge(*lane, item(id, failure), weight, what.lives, failure ? "" : item(id, true));
    const Keys& k = lane->keys();
    Call call{{k.lease(id), k.entry(id), k.failure(id), k.holders(id)},
              {tagged(token), k.channel("wake"), id, std::move(what.bytes), in_ms(what.lives),
               failure ? "1" : "0", std::move(what.holder)}};
    Outcome outcome = co_await lane->run(scripts::kPublish, std::move(call), Op::publish, patience);
    if (!outcome.reply) {
      give_back(*lane, id, token, kLongestLease);
      if (!outcome.perhaps_done) weigh_again(*lane, id, failure);
      co_return Published::unavailable;
    }
    if (outcome.reply->number == 1) co_return Published::yes;
    weigh_again(*lane, id, failure);
    co_return Published::fenced;
  }

  void add_holder(std::string id, std::uint64_t version, std::string address) override {
    const Keys& k = lane_->keys();
    lane_->chore({.script = &scripts::kAddHolder,
                  .call = {{k.entry(id), k.holders(id)},
                           {padded(version), address, std::to_string(kMostHolders)}},
                  .op = Op::publish,
                  .worth_until = MonoClock::now() + kLongestLease,
                  .then = {},
                  .again = {}});
  }

  void remove_holder(std::string id, std::string address) override {
    lane_->chore({.script = &scripts::kRemoveHolder,
                  .call = {{lane_->keys().holders(id)}, {address}},
                  .op = Op::publish,
                  .worth_until = MonoClock::now() + kLongestLease,
                  .then = {},
                  .again = {}});
  }

 private:
  // Of the account: an entry, with its holders, or a failure.
  static std::string item(const std::string& id, bool failure) {
    return (failure ? "n" : "e") + id;
  }

  static void charge(Lane& lane, std::string item, ByteCount weight, Duration lives,
                     std::string gone) {
    const Keys& k = lane.keys();
    lane.chore({.script = &scripts::kCharge,
                .call = {{k.memory(":dies"), k.memory(":weighs"), k.memory(":sum"),
                          k.memory(":charged"), k.memory(":going")},
                         {std::to_string(budget(lane.core().config.memory)), std::move(item),
                          std::to_string(weight), in_ms(lives), std::move(gone), ""}},
                .op = Op::publish,
                .worth_until = MonoClock::now() + kLongestLease,
                .then =
                    [weak = lane.weak_from_this()](Reply& going) {
                      const auto self = weak.lock();
                      for (Reply& one : going.items)
                        if (self) evict(*self, one.text);
                    },
                .again = std::pair(kAnswerLost, std::string("1"))});
  }

  // The last version that is meant, and the item.
  static void evict(Lane& lane, std::string_view what) {
    if (what.size() <= kVersionDigits) return;
    const Keys& k = lane.keys();
    const std::string version(what.substr(0, kVersionDigits));
    const std::string_view id = what.substr(kVersionDigits + 1);
    const bool failure = what[kVersionDigits] == 'n';
    lane.chore(
        {.script = &scripts::kEvict,
         .call = {failure ? std::vector{k.failure(id)} : std::vector{k.entry(id), k.holders(id)},
                  {version}},
         .op = Op::publish,
         .worth_until = MonoClock::now() + kLongestLease,
         .then = {},
         .again = {}});
  }

  // What was charged for was not written: what is there counts, and that is also the failure which
  // an entry would have taken away.
  static void weigh_again(Lane& lane, const std::string& id, bool failure) {
    weigh(lane, id, failure);
    if (!failure) weigh(lane, id, true);
  }
  static void weigh(Lane& lane, const std::string& id, bool failure) {
    const Keys& k = lane.keys();
    const std::string key = failure ? k.failure(id) : k.entry(id);
    lane.chore({.script = &scripts::kWeigh,
                .call = {{key}, {}},
                .op = Op::publish,
                .worth_until = MonoClock::now() + kLongestLease,
                .then =
                    [weak = lane.weak_from_this(), id, failure](Reply& reply) {
                      const auto self = weak.lock();
                      if (!self) return;
                      const auto size =
                          static_cast<std::size_t>(std::max<std::int64_t>(reply.integer(0), 0));
                      const auto lives = std::chrono::milliseconds(reply.integer(1));
                      const bool there = size > 0 && lives > Duration::zero();
                      charge(*self, item(id, failure), there ? weight_of(id.size(), size, 64) : 0,
                             there ? Duration(lives) : Duration(1ms), "");
                    },
                .again = {}});
  }

  std::shared_ptr<Lane> lane_;
};

}  // namespace

std::unique_ptr<ports::SharedStore> make_store(std::shared_ptr<Lane> lane) {
  return std::make_unique<RedisStore>(std::move(lane));
}

}  // namespace tanggul::redis
