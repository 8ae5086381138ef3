#include "shield/lease_step.h"

#include "base/random_name.h"
#include "shield/cluster.h"
#include "tanggul/policy/backoff.h"

namespace tanggul::shield {
namespace {

// A wake may be lost, and nobody tells of a holder that has died.
constexpr policy::BackoffConfig kPolls{.base = 50ms, .cap = 1s};

// How old an answer may be for one that wants to know how it is now.
constexpr Duration kJustNow = 1s;

}  // namespace

LeaseStep::LeaseStep(Shield& shield, const Outside& outside, FetchJob& job, async::WaiterPtr waiter,
                     Rng& rng)
    : shield_(shield),
      outside_(outside),
      job_(job),
      waiter_(std::move(waiter)),
      rng_(rng),
      copies_(shield, *outside.store, outside.cluster) {
  request_.holder = outside.cluster->config().advertise;
  request_.ttl = shield.routes()->lease_ttl;
  if (job.stored) request_.known_entry = job.stored->version.get();
  ask_for(job.flight->key());
}

LeaseStep::~LeaseStep() {
  if (!watched_.empty() && !outside_.cluster->ended()) outside_.leases->unwatch(watched_, waiter_);
}

void LeaseStep::watch(const std::string& id) {
  if (watched_ == id) return;
  if (!watched_.empty()) outside_.leases->unwatch(watched_, waiter_);
  watched_ = id;
  if (!id.empty()) outside_.leases->watch(id, waiter_);
}

void LeaseStep::ask_for(const std::string& flight_key) {
  request_.id = shared_id(flight_key);
  flight_key_ = flight_key;
  followed_ = 0;
}

Task<LeaseStep::Turn> LeaseStep::next() {
  // A new token each time: of the one before nobody can say whether it was taken.
  request_.token = random_name();
  ports::Patience patience(job_.patience);
  for (;;) {
    if (job_.flight->cancellation().cancelled())
      co_return leave(Turn{.kind = Turn::Kind::given_up});
    const cache::Generation generation = shield_.purges().now();
    const MonoTime asked = MonoClock::now();
    const ports::Acquired acquired = co_await outside_.leases->acquire(request_, patience);
    job_.patience = patience.left();
    if (acquired.kind == ports::Acquired::Kind::held) {
      outside_.cluster->lease_waits().observe(MonoClock::now() - began_);
      Turn turn;
      turn.lease = std::make_unique<HeldLease>(
          outside_, waiter_->executor(), shield_.tasks(),
          HeldLease::Terms{request_.id, request_.token, acquired.fence, request_.ttl, asked},
          job_.flight);
      co_return leave(std::move(turn));
    }
    if (acquired.kind == ports::Acquired::Kind::unavailable) co_return leave(Turn{});
    const bool busy = acquired.kind == ports::Acquired::Kind::busy;
    const bool down = busy && job_.upstream->state().must_wait(MonoClock::now());
    // Who would not be held is told now that the origin is down, by the steps that come.
    if (down && !job_.may_hold) co_return leave(Turn{});
    if (std::exchange(held_back_, down) != down) job_.flight->set_held(down);
    std::optional<Turn> turn;
    if (!down) turn = take(acquired, generation);
    if (turn) {
      outside_.cluster->lease_waits().observe(MonoClock::now() - began_);
      co_return leave(std::move(*turn));
    }
    if (!busy) continue;
    // Watched before the holder is looked at again: what happens between is not missed.
    if (watched_ != request_.id) {
      watch(request_.id);
      continue;
    }
    co_await wait_for_change();
    // The wait was for the holder, and the store has answered: it is asked anew.
    patience = ports::Patience();
  }
}

LeaseStep::Turn LeaseStep::leave(Turn turn) {
  if (std::exchange(held_back_, false)) job_.flight->set_held(false);
  return turn;
}

std::optional<LeaseStep::Turn> LeaseStep::take(const ports::Acquired& acquired,
                                               cache::Generation generation) {
  if (acquired.kind == ports::Acquired::Kind::busy) {
    // What is to be revalidated is here already: it is not sent once more.
    if (job_.stored || followed_ == acquired.fence) return std::nullopt;
    followed_ = holder_ = acquired.fence;
    Turn turn;
    turn.kind = Turn::Kind::follow;
    turn.holder = acquired.holder;
    return turn;
  }
  if (acquired.copies.entry) request_.known_entry = acquired.copies.entry->version;
  if (acquired.copies.failure) request_.known_failure = acquired.copies.failure->version;
  auto read = copies_.read(acquired.copies, generation);
  // Whoever can write to the store can put a copy where another belongs.
  if (read && read->key == job_.primary && usable(*read)) {
    Turn turn;
    turn.kind = Turn::Kind::copied;
    turn.read = std::move(read);
    return turn;
  }
  auto failed = copies_.read_failure(acquired.copies);
  if (!failed || (job_.may_hold && job_.upstream->state().must_wait(MonoClock::now())))
    return std::nullopt;
  Turn turn;
  turn.kind = Turn::Kind::failed;
  turn.failure = std::move(failed->failure);
  return turn;
}

bool LeaseStep::usable(const SharedCache::Read& read) const {
  const policy::StoredTimes& times = read.entry->times;
  if (times.expires <= wall_now() || times.no_cache) return false;
  if (!job_.stored) return true;
  // A copy that is no newer renews nothing; and what is fresh is asked for again because somebody
  // wants to know how it is now.
  if (times.stored_at <= job_.stored->times.stored_at) return false;
  return job_.stored->times.expires <= began_on_ || times.stored_at >= began_on_ - kJustNow;
}

Task<void> LeaseStep::wait_for_change() {
  // While the origin is down nothing comes, and thousands may wait.
  const Duration pause =
      held_back_ ? 1s + rng_.upto(4s) : 50ms + policy::full_jitter(kPolls, polls_++, rng_);
  job_.flight->cancellation().bind(waiter_);
  co_await waiter_->wait_until(MonoClock::now() + pause);
}

}  // namespace tanggul::shield
