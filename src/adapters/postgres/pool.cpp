#include "adapters/postgres/pool.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "async/spawn.h"
#include "async/timer.h"
#include "base/log.h"
#include "tanggul/policy/backoff.h"

namespace tanggul::postgres {
namespace {

namespace asio = boost::asio;

// Between tries to open a connection. The cap is far below what a breaker waits: its probe must not
// fail for our sake.
constexpr policy::BackoffConfig kReopen{.attempts = 1, .base = 50ms, .cap = 1s};

}  // namespace

Pool::Pool(async::Executor executor, std::shared_ptr<const DatabaseConfig> config)
    : executor_(executor),
      config_(std::move(config)),
      faults_(std::make_shared<FaultLog>(config_->query.origin)) {
  figures_.size = static_cast<std::size_t>(config_->pool);
}

void Pool::submit(JobPtr job) {
  asio::post(executor_, [self = shared_from_this(), job = std::move(job)] { self->take_in(job); });
}

void Pool::give_up(JobPtr job) {
  job->given_up = true;
  asio::post(executor_, [self = shared_from_this(), job = std::move(job)] {
    std::erase(self->queue_, job);
    if (const auto connection = job->runs_on.lock()) connection->nudge();
    self->count();
  });
}

ports::Database::Figures Pool::figures() const {
  const Lock lock(mutex_);
  return figures_;
}

StatementPtr Pool::statement() const {
  const Lock lock(mutex_);
  return statement_;
}

void Pool::close() {
  if (closed_.exchange(true)) return;
  asio::post(executor_, [self = shared_from_this()] { self->end(); });
}

void Pool::end() {
  ended_ = true;
  fail_all({Errc::cancelled, "", "the pool is closed"});
  for (const PlacePtr& place : places_) {
    if (place->job) place->job->given_up = true;
    place->session->connection().nudge();
  }
}

void Pool::take_in(JobPtr job) {
  if (job->given_up) return;
  queue_.push_back(std::move(job));
  if (ended_) return fail_all({Errc::cancelled, "", "the pool is closed"});
  enlist();
  count();
}

// As many connections are called or opened as there are queries without one.
void Pool::enlist() {
  const auto fresh = static_cast<std::size_t>(
      std::count_if(queue_.begin(), queue_.end(), [](const JobPtr& job) { return job->fresh; }));
  const std::size_t called = call(queue_.size() - fresh);
  const std::size_t without = queue_.size() - std::min(queue_.size(), called);
  const auto opening = static_cast<std::size_t>(std::count_if(
      places_.begin(), places_.end(), [](const auto& place) { return place->opening; }));
  if (without <= opening) return;
  // A fresh one is wanted, and there is no room: an idle one makes it.
  if (fresh > 0 && places_.size() == static_cast<std::size_t>(config_->pool)) {
    const auto old =
        std::find_if(places_.begin(), places_.end(), [](const auto& place) { return place->idle; });
    if (old != places_.end()) {
      (*old)->session->connection().nudge();
      retire(*old);
    }
  }
  if (MonoClock::now() >= not_before_) return open_more(without - opening);
  if (places_.empty()) return fail_all(last_fault_);
  enlist_later();
}

// Idle ones; how many have been called and have not come yet.
std::size_t Pool::call(std::size_t most) {
  auto called = static_cast<std::size_t>(std::count_if(
      places_.begin(), places_.end(), [](const auto& place) { return place->called; }));
  for (const PlacePtr& place : places_) {
    if (called >= most) break;
    if (!place->idle) continue;
    place->idle = false;
    place->called = true;
    place->session->connection().nudge();
    ++called;
  }
  return called;
}

void Pool::open_more(std::size_t most) {
  for (; most > 0 && places_.size() < static_cast<std::size_t>(config_->pool); --most) {
    auto place = std::make_shared<Place>();
    place->session = std::make_shared<Session>(executor_, config_, faults_);
    place->opening = true;
    places_.push_back(place);
    async::spawn(executor_, "postgres", live(place));
  }
}

// Who waits for one of those that run need not wait for it alone.
void Pool::enlist_later() {
  if (std::exchange(enlists_later_, true)) return;
  const auto timer = std::make_shared<async::Timer>(executor_, not_before_);
  timer->async_wait([weak = weak_from_this(), timer](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->enlists_later_ = false;
    if (!self->queue_.empty()) self->enlist();
  });
}

bool Pool::is_ours(const PlacePtr& place) const {
  return std::find(places_.begin(), places_.end(), place) != places_.end();
}

void Pool::retire(PlacePtr place) {
  std::erase(places_, place);
  place->idle = place->called = place->opening = false;
}

JobPtr Pool::next(bool fresh) {
  const auto found = std::find_if(queue_.begin(), queue_.end(),
                                  [&](const JobPtr& job) { return fresh || !job->fresh; });
  if (found == queue_.end()) return nullptr;
  JobPtr job = std::move(*found);
  queue_.erase(found);
  return job;
}

Task<bool> Pool::open(PlacePtr place) {
  const std::optional<Fault> fault = co_await place->session->open();
  place->opening = false;
  if (!fault) {
    if (failed_ > 0) log::info("{}: the database answers again", config_->query.origin);
    failed_ = 0;
    co_return true;
  }
  if (failed_ == 0)
    log::warn("{}: no connection to the database: {}", config_->query.origin, fault->words());
  last_fault_ = *fault;
  if (last_fault_.code != Errc::connect_timeout) last_fault_.code = Errc::refused;
  not_before_ = MonoClock::now() + policy::full_jitter(kReopen, failed_++, thread_rng());
  retire(place);
  // Those that run may have a place for the others soon.
  if (places_.empty()) fail_all(last_fault_);
  if (!queue_.empty()) enlist();
  count();
  co_return false;
}

void Pool::fail_all(const Fault& fault) {
  for (const JobPtr& job : queue_) {
    job->taken = true;
    job->fault = fault;
    job->finish();
  }
  queue_.clear();
}

// Whatever goes wrong within, the query ends, and a connection in doubt is not used again.
Task<void> Pool::run(PlacePtr place, JobPtr job) {
  job->taken = true;
  job->runs_on = place->session->shared_connection();
  place->job = job;
  count();
  std::string wrong;
  try {
    co_await place->session->run(job);
  } catch (const std::exception& e) {
    wrong = e.what();
  }
  if (!wrong.empty()) {
    log::error("{}: a query ended with an exception: {}", config_->query.origin, wrong);
    job->fault = Fault{Errc::internal, "", wrong};
    place->session->give_up();
  }
  place->job.reset();
  if (place->session->statement()) {
    const Lock lock(mutex_);
    statement_ = place->session->statement();
  }
  job->finish();
}

// One place, from the opening of its connection to the end of it.
Task<void> Pool::live(PlacePtr place) {
  const auto self = shared_from_this();
  const bool opened = co_await open(place);
  if (!opened) co_return;
  bool fresh = true;
  while (place->session->usable() && is_ours(place) && !ended_) {
    place->called = false;
    const JobPtr job = next(std::exchange(fresh, false));
    if (job) {
      co_await run(place, job);
      continue;
    }
    // What is left wants a fresh connection, which has the place of this one.
    if (!queue_.empty()) break;
    place->idle = true;
    count();
    co_await place->session->connection().idle(kForever);
    place->idle = false;
  }
  retire(place);
  if (!queue_.empty()) enlist();
  count();
}

void Pool::count() {
  const Lock lock(mutex_);
  figures_.idle = figures_.busy = figures_.opening = 0;
  for (const PlacePtr& place : places_)
    ++(place->opening ? figures_.opening : place->idle ? figures_.idle : figures_.busy);
  figures_.waiting = queue_.size();
}

}  // namespace tanggul::postgres
