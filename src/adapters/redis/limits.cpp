#include <set>
#include <unordered_map>

#include "adapters/redis/lane_ports.h"
#include "adapters/redis/limits_wire.h"
#include "async/spawn.h"
#include "base/random_name.h"
#include "tanggul/base/random.h"

namespace tanggul::redis {
namespace {

using ports::AttemptLeave;

constexpr Duration kRenewed = ports::SharedLimits::kPlaceLives / 3;
constexpr std::size_t kMostInOne = 500;  // places renewed by one script

// The places that this thread's attempts hold, by origin.
struct Places {
  std::unordered_map<std::string, std::set<std::string>> of;

  void forget(const std::string& origin, const std::string& place) {
    const auto found = of.find(origin);
    if (found == of.end()) return;
    found->second.erase(place);
    if (found->second.empty()) of.erase(found);
  }
};

void renew(Lane& lane, const std::string& origin, std::vector<std::string> places) {
  Call call{{lane.keys().limit(origin, "places")}, {in_us(ports::SharedLimits::kPlaceLives)}};
  call.args.insert(call.args.end(), std::make_move_iterator(places.begin()),
                   std::make_move_iterator(places.end()));
  lane.chore({.script = &scripts::kPlaces,
              .call = std::move(call),
              .op = Op::limits,
              .worth_until = MonoClock::now() + kRenewed,
              .then = {},
              .again = {}});
}

Task<void> renew_places(std::shared_ptr<Lane> lane, std::shared_ptr<Places> places,
                        async::WaiterPtr waiter) {
  while (!waiter->closed()) {
    const MonoTime next = MonoClock::now() + kRenewed;
    while (!waiter->closed() && MonoClock::now() < next) co_await waiter->wait_until(next);
    if (waiter->closed()) break;
    for (const auto& [origin, held] : places->of) {
      std::vector<std::string> some;
      for (const std::string& place : held) {
        some.push_back(place);
        if (some.size() == kMostInOne) renew(*lane, origin, std::exchange(some, {}));
      }
      if (!some.empty()) renew(*lane, origin, std::move(some));
    }
  }
}

class RedisLimits : public ports::SharedLimits {
 public:
  explicit RedisLimits(std::shared_ptr<Lane> lane)
      : lane_(std::move(lane)),
        places_(std::make_shared<Places>()),
        waiter_(async::Waiter::make(lane_->executor())) {
    lane_->ends(waiter_);
    async::spawn(lane_->executor(), "redis places", renew_places(lane_, places_, waiter_));
  }
  ~RedisLimits() override { waiter_->close(); }

  Task<AttemptLeave> ask(ports::AttemptAsk what, ports::Patience& patience) override {
    const auto lane = lane_;
    const auto places = places_;
    const std::string place = random_name();
    const std::string jitter = in_digits(thread_rng().between(0.8, 1.0));
    Call call = ask_call(lane->keys(), what, place, jitter, {});
    Outcome outcome = co_await lane->run(scripts::kAsk, std::move(call), Op::limits, patience);
    AttemptLeave leave;
    if (outcome.reply) {
      leave = leave_in(*outcome.reply, what.rules.breaker);
    } else if (outcome.perhaps_done) {
      send_end(*lane, {.origin = what.origin, .place = place, .rules = what.rules});
    }
    if (leave.kind == AttemptLeave::Kind::go) {
      leave.place = place;
      if (what.rules.concurrency > 0) places->of[what.origin].insert(place);
    }
    co_return leave;
  }

  void finish(ports::AttemptEnd end) override {
    places_->forget(end.origin, end.place);
    send_end(*lane_, end);
  }

  void watch_places(const std::string& origin, const async::WaiterPtr& waiter) override {
    lane_->core().places.watch(origin, waiter);
  }
  void unwatch_places(const std::string& origin, const async::WaiterPtr& waiter) override {
    lane_->core().places.unwatch(origin, waiter);
  }

 private:
  // The second time the first may have been counted; a probe is counted once by its name.
  static void send_end(Lane& lane, const ports::AttemptEnd& end) {
    const std::string jitter = in_digits(thread_rng().between(0.8, 1.0));
    Chore chore{.script = &scripts::kFinish,
                .call = finish_call(lane.keys(), end, jitter, {}),
                .op = Op::limits,
                .worth_until = MonoClock::now() + kPlaceLives,
                .then = {},
                .again = {}};
    if (!end.probe) chore.again.emplace(kSampleArgument, "ignored");
    lane.chore(std::move(chore));
  }

  const std::shared_ptr<Lane> lane_;
  const std::shared_ptr<Places> places_;
  const async::WaiterPtr waiter_;
};

}  // namespace

std::unique_ptr<ports::SharedLimits> make_limits(std::shared_ptr<Lane> lane) {
  return std::make_unique<RedisLimits>(std::move(lane));
}

}  // namespace tanggul::redis
