#include "adapters/postgres/pool.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "async/spawn.h"
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
    : executor_(executor), config_(std::move(config)) {
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
  asio::post(executor_, [self = shared_from_this()] {
    self->closed_ = true;
    for (const PlacePtr& place : self->places_)
      if (place->idle) place->session->connection().nudge();
  });
}

void Pool::take_in(JobPtr job) {
  if (job->given_up) return;
  queue_.push_back(std::move(job));
  enlist();
  count();
}

// As many connections are called or opened as there are queries without one.
void Pool::enlist() {
  std::size_t without = queue_.size();
  const bool fresh =
      std::any_of(queue_.begin(), queue_.end(), [](const auto& j) { return j->fresh; });
  for (const PlacePtr& place : places_) {
    if (without == 0) return;
    if (place->opening) --without;
    if (!place->idle || fresh) continue;
    place->idle = false;
    place->session->connection().nudge();
    --without;
  }
  if (without == 0) return;
  // A fresh one is wanted, and there is no room: an idle one makes it.
  if (fresh && places_.size() == static_cast<std::size_t>(config_->pool)) {
    const auto old =
        std::find_if(places_.begin(), places_.end(), [](const auto& place) { return place->idle; });
    if (old != places_.end()) {
      (*old)->session->connection().nudge();
      retire(*old);
    }
  }
  if (MonoClock::now() < not_before_ && places_.empty()) return fail_all(last_fault_);
  while (without > 0 && places_.size() < static_cast<std::size_t>(config_->pool) &&
         MonoClock::now() >= not_before_) {
    auto place = std::make_shared<Place>();
    place->session = std::make_shared<Session>(executor_, config_);
    place->opening = true;
    places_.push_back(place);
    async::spawn(executor_, "postgres", live(place));
    --without;
  }
}

void Pool::retire(const PlacePtr& place) {
  std::erase(places_, place);
  place->idle = false;
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
  last_fault_ = {fault->code == Errc::connect_timeout ? Errc::connect_timeout : Errc::refused,
                 fault->state, fault->text};
  not_before_ = MonoClock::now() + policy::full_jitter(kReopen, failed_++, thread_rng());
  retire(place);
  // Those that run may have a place for the others soon.
  if (places_.empty()) fail_all(last_fault_);
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

// One place, from the opening of its connection to the end of it.
Task<void> Pool::live(PlacePtr place) {
  const auto self = shared_from_this();
  const bool opened = co_await open(place);
  if (!opened) co_return;
  bool fresh = true;
  while (place->session->usable()) {
    const JobPtr job = next(fresh);
    fresh = false;
    if (job) {
      job->taken = true;
      job->runs_on = place->session->shared_connection();
      count();
      co_await place->session->run(job);
      job->runs_on.reset();
      {
        const Lock lock(mutex_);
        if (place->session->statement()) statement_ = place->session->statement();
      }
      job->finish();
      continue;
    }
    // What is left wants a fresh connection, which has the place of this one.
    if (closed_ || !queue_.empty()) break;
    if (std::find(places_.begin(), places_.end(), place) == places_.end()) break;
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
