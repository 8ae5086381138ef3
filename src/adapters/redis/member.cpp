#include "adapters/redis/member.h"

#include "adapters/redis/lane_ports.h"
#include "adapters/redis/limits_wire.h"
#include "async/spawn.h"
#include "base/bytes.h"
#include "base/log.h"
#include "base/random_name.h"

namespace tanggul::redis {
namespace {

using ports::PurgePlace;
using ports::SharedPurge;

constexpr Duration kBeat = 1s, kSilence = 5s;
constexpr Duration kPatience = 500ms;
constexpr Duration kTelling = 1s;
constexpr Duration kLongestPause = 1h;  // that is worth ending once Redis is back
constexpr std::size_t kPurgesKept = 10'000, kPurgesInOne = 100, kPurgesAnswered = 500;
constexpr std::size_t kAnsweredBytes = 1 << 20;

std::string new_epoch() { return random_name(8); }

}  // namespace

Member::Member(std::shared_ptr<Core> core, async::Executor executor,
               ports::MembershipListener& listener)
    : core_(std::move(core)),
      executor_(executor),
      listener_(&listener),
      lane_(Lane::make(core_, executor)),
      waiter_(async::Waiter::make(executor)),
      nodes_(kSilence) {}

void Member::start() {
  if (closed_) return;
  core_->health.observe([weak = weak_from_this(), executor = executor_](bool, std::string why) {
    asio::post(executor, [weak, why = std::move(why)] {
      if (const auto self = weak.lock()) self->reach_changed(why);
    });
  });
  lane_->on_close([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->lane_->chore({.script = &scripts::kLeave,
                        .call = {{self->core_->keys.nodes()}, {self->core_->config.node}},
                        .op = Op::membership,
                        .worth_until = MonoClock::now() + kSilence,
                        .then = {},
                        .again = {}});
  });
  lane_->start();
  listen();
  async::spawn(executor_, "redis member", live(shared_from_this()));
}

void Member::close() {
  if (std::exchange(closed_, true)) return;
  lane_->close();
  if (ear_) ear_->close();
  waiter_->close();
  for (const auto& teller : tellers_) teller->close();
}

void Member::listen() {
  Connection::Events events;
  events.ready = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->deaf_.clear();
    self->core_->ids.wake_all();  // what was told meanwhile was told to nobody
    self->core_->places.wake_all();
    self->hurry();
  };
  events.lost = [weak = weak_from_this()](const std::string& why) {
    const auto self = weak.lock();
    if (!self) return;
    self->core_->errors(Op::connect).add();
    // Whether Redis serves the lanes find out: without an ear all goes on, only later.
    if (self->deaf_ == why || self->core_->health.wants_probe()) return;
    self->deaf_ = why;
    log::warn(
        "cannot subscribe to redis's channels: {}; news of the other nodes comes by asking, up "
        "to a second later",
        why);
  };
  events.message = [weak = weak_from_this()](std::string_view channel, std::string_view message) {
    if (const auto self = weak.lock()) self->hear(channel, message);
  };
  const Keys& k = core_->keys;
  ear_ = std::make_shared<Connection>(
      executor_,
      Connection::Config{core_->config.address,
                         "tanggul-" + core_->config.node + "-ear",
                         {k.channel("wake"), k.channel("places"), k.channel("breaker"),
                          k.channel("pause"), k.channel("purge")}},
      std::move(events), core_->commands);
  ear_->start();
}

void Member::hear(std::string_view channel, std::string_view message) {
  const std::string_view what = channel.substr(channel.rfind(':') + 1);
  std::string origin, credential;
  if (what == "wake") {
    core_->ids.wake(std::string(message));
  } else if (what == "places") {
    core_->places.wake(std::string(message));
  } else if (what == "purge") {
    hear_purge(message);
  } else if (what == "breaker") {
    ports::BreakerView view;
    if (listener_ && read_breaker(message, origin, view)) listener_->on_breaker(origin, view);
  } else if (what == "pause") {
    Duration pause{};
    if (listener_ && read_pause(message, origin, credential, pause))
      listener_->on_pause(origin, credential, pause);
  }
}

void Member::hear_purge(std::string_view message) {
  if (!listener_) return;
  bool gap = false;
  const auto news = news_in(message, listener_->purges_seen(), gap);
  if (news) tell_listener(*news);
  if (gap) hurry();
}

void Member::tell_listener(const PurgeNews& news) {
  if (listener_) listener_->on_purges(news.place, news.purges, news.complete);
}

// Of several changes at once the last counts, whatever the order in which they were told; why it is
// down comes with that change itself.
void Member::reach_changed(const std::string& why) {
  const bool up = !core_->health.wants_probe();
  if (!listener_ || closed_ || (!up && why.empty())) return;
  if (reach_told_ == up && (up || why_told_ == why)) return;
  reach_told_ = up;
  why_told_ = why;
  if (up) {
    log::info("redis can be reached");
  } else {
    log::warn("redis cannot {}: {}", answered_with_error(why) ? "serve" : "be reached", why);
  }
  listener_->on_reach(up, up ? "" : why);
  if (up) hurry();
}

void Member::hurry() {
  hurry_ = true;
  waiter_->wake();
}

Task<void> Member::live(std::shared_ptr<Member> self) {
  while (!self->closed_) {
    const MonoTime next = MonoClock::now() + kBeat;
    self->hurry_ = false;
    // First: a node that is counted knows where the log of the purges stands, and what it tells
    // next is numbered by that.
    co_await self->follow();
    co_await self->beat();
    self->begin_telling();
    if (self->ear_->ready()) {
      const std::string_view ping[] = {"PING"};
      self->ear_->post(Encoded(ping), nullptr);
    }
    while (!self->closed_ && !self->hurry_ && MonoClock::now() < next)
      co_await self->waiter_->wait_until(next);
  }
}

Task<void> Member::beat() {
  const auto silence = std::chrono::duration_cast<Duration>(kSilence);
  ports::Patience patience(kPatience);
  Call call{{core_->keys.nodes()}, {core_->config.node, in_us(silence)}};
  Outcome outcome = co_await lane_->run(scripts::kBeat, std::move(call), Op::membership, patience);
  if (!outcome.reply) nodes_.not_counted();
  if (!outcome.reply || !listener_) co_return;
  const auto nodes = static_cast<std::size_t>(std::max<std::int64_t>(outcome.reply->number, 1));
  if (nodes_.counted(nodes, MonoClock::now())) listener_->on_nodes(nodes_.value());
}

Task<void> Member::follow() {
  const Keys& k = core_->keys;
  bool more = true;
  // As often as the log may be long.
  for (std::size_t i = 0; more && listener_ && i <= kPurgesKept / kPurgesAnswered; ++i) {
    const PurgePlace asked = listener_->purges_seen();
    ports::Patience patience(kPatience);
    Call call{
        {k.purges(":head"), k.purges(":log")},
        {asked.epoch, std::to_string(asked.sequence), new_epoch(), std::to_string(kPurgesAnswered),
         std::to_string(kAnsweredBytes), former_.epoch, std::to_string(former_.sequence)}};
    Outcome outcome =
        co_await lane_->run(scripts::kFollow, std::move(call), Op::membership, patience);
    if (!outcome.reply || !listener_) co_return;
    const PurgePlace seen = listener_->purges_seen();
    const auto news = news_in(*outcome.reply, seen, more);
    if (!news) continue;
    // Others may come later who have seen more of it.
    if (news->place.epoch != seen.epoch) former_ = seen;
    if (!news->complete) former_ = {};
    tell_listener(*news);
  }
}

void Member::begin_telling() {
  if (telling_ || untold_.empty() || closed_) return;
  telling_ = true;
  async::spawn(executor_, "redis tell", tell(shared_from_this()));
}

Task<void> Member::tell(std::shared_ptr<Member> self) {
  bool told = true;
  while (told && !self->untold_.empty() && !self->closed_) {
    told = co_await self->tell_some();
    for (const auto& teller : self->tellers_) teller->wake();
  }
  self->telling_ = false;
  for (const auto& teller : self->tellers_) teller->wake();
}

Task<bool> Member::tell_some() {
  const Keys& k = core_->keys;
  const PurgePlace seen = listener_ ? listener_->purges_seen() : PurgePlace();
  Call call{{k.purges(":head"), k.purges(":log")},
            {new_epoch(), k.channel("purge"), std::to_string(kPurgesKept), seen.epoch,
             std::to_string(seen.sequence)}};
  const std::size_t count = std::min(untold_.size(), kPurgesInOne);
  for (std::size_t i = 0; i < count; ++i) {
    call.args.push_back(std::to_string(untold_[i].rule));
    call.args.push_back(untold_[i].what);
  }
  const std::uint64_t first = queued_ - untold_.size();
  ports::Patience patience(kPatience);
  Outcome outcome = co_await lane_->run(scripts::kTell, std::move(call), Op::membership, patience);
  if (!outcome.reply) co_return false;
  // Meanwhile the oldest may have made room.
  const std::uint64_t gone = queued_ - untold_.size() - first;
  const std::size_t left = count - std::min<std::size_t>(count, gone);
  untold_.erase(untold_.begin(), untold_.begin() + static_cast<std::ptrdiff_t>(left));
  told_ = first + count;
  co_return true;
}

void Member::end_pauses(const std::string& origin) {
  const Keys& k = core_->keys;
  lane_->chore({.script = &scripts::kEndPauses,
                .call = {{k.limit(origin, "pause"), k.limit(origin, "resting")}, {}},
                .op = Op::limits,
                .worth_until = MonoClock::now() + kLongestPause,
                .then = {},
                .again = {}});
}

Task<bool> Member::purge(std::vector<SharedPurge> purges) {
  const auto self = shared_from_this();
  for (SharedPurge& purge : purges) {
    if (untold_.size() >= kMostUntold) {
      log::error("a purge is lost to the other nodes: {} wait to be told", untold_.size());
      untold_.pop_front();
    }
    untold_.push_back(std::move(purge));
    ++queued_;
  }
  const std::uint64_t last = queued_;
  const MonoTime until = MonoClock::now() + kTelling;
  begin_telling();
  const auto waiter = async::Waiter::make(executor_);
  tellers_.push_back(waiter);
  while (told_ < last && telling_ && !closed_ && MonoClock::now() < until)
    co_await waiter->wait_until(until);
  std::erase(tellers_, waiter);
  co_return told_ >= last;
}

}  // namespace tanggul::redis
