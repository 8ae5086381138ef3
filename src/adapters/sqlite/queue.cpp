#include "adapters/sqlite/queue.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "adapters/sqlite/bell.h"
#include "adapters/sqlite/dead_jobs.h"
#include "adapters/sqlite/queue_file.h"
#include "adapters/sqlite/queue_rows.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "tanggul/base/random.h"

namespace tanggul::sqlite {
namespace {

using ports::Claim;
using ports::Job;
using ports::QueueFigures;
using ports::Settlement;
using ports::SqlRow;
using ports::SqlSession;

constexpr ByteCount kMostBody = 64_KiB;
// Between looks for what other processes have brought.
constexpr Duration kShortestPause = 100ms, kLongestPause = 250ms;
constexpr std::int64_t kBatch = 100;

constexpr std::string_view kAdd =
    "INSERT INTO job (" TANGGUL_JOB_COLUMNS
    ", queue, at, claimed, fence, deliveries) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 0) ON CONFLICT DO NOTHING";
constexpr std::string_view kBringForward =
    "UPDATE job SET at = $3 WHERE queue = $1 AND key = $2 AND at > $3 AND claimed = 0 "
    "AND failure = ''";
constexpr std::string_view kNext =
    "SELECT at, key, claimed FROM job WHERE queue = $1 ORDER BY at LIMIT 1";
constexpr std::string_view kDeliveries = "SELECT deliveries FROM job WHERE queue = $1 AND key = $2";
constexpr std::string_view kNewFence = "UPDATE fence SET last = last + 1 RETURNING last";
constexpr std::string_view kClaim =
    "UPDATE job SET at = $3, claimed = 1, fence = $4, deliveries = deliveries + 1 "
    "WHERE queue = $1 AND key = $2 RETURNING deliveries, " TANGGUL_JOB_COLUMNS;
#define TANGGUL_HELD " WHERE queue = $1 AND key = $2 AND fence = $3 AND claimed = 1"
constexpr std::string_view kRenew = "UPDATE job SET at = $4" TANGGUL_HELD;
constexpr std::string_view kDone = "DELETE FROM job" TANGGUL_HELD;
constexpr std::string_view kPutBack =
    "UPDATE job SET at = $4, claimed = 0, deliveries = 0, body = $5, attempts = $6, "
    "handed_on_by = $7, enqueued = $8, failure = $9, detail = $10, release = $11" TANGGUL_HELD;
constexpr std::string_view kTakeLapsed =
    "DELETE FROM job WHERE queue = $1 AND key = $2 RETURNING " TANGGUL_JOB_COLUMNS;
constexpr std::string_view kFigures =
    "SELECT count(*) FILTER (WHERE at <= $2), "
    "count(*) FILTER (WHERE at > $2 AND claimed = 1), "
    "count(*) FILTER (WHERE at > $2 AND claimed = 0), "
    "(SELECT count(*) FROM dead WHERE queue = $1), min(at) FROM job WHERE queue = $1";
std::int64_t whole(const SqlRow& row, std::size_t at) { return std::get<std::int64_t>(row.at(at)); }

Microseconds from_now(Duration lease) {
  return micros(wall_now()) +
         std::chrono::floor<std::chrono::microseconds>(std::max(lease, Duration::zero())).count();
}

std::optional<Failure> refused(const std::string& queue, const Job& job) {
  if (job.body.size() > kMostBody)
    return Failure{Errc::bad_input, fmt::format("a job's body is {} bytes and may be {}",
                                                job.body.size(), kMostBody)};
  for (const std::string* text :
       {&queue, &job.key, &job.body, &job.handed_on_by, &job.failure, &job.detail, &job.release})
    if (!is_utf8(*text)) return Failure{Errc::bad_input, "a job's text is no UTF-8"};
  return std::nullopt;
}

class Queue final : public ports::Queue {
 public:
  Queue(QueueConfig config, std::unique_ptr<SqlSession> session,
        std::unique_ptr<SqlSession> reading)
      : config_(std::move(config)), session_(std::move(session)), reading_(std::move(reading)) {}

  Expected<Enqueued> enqueue(const std::string& queue, const Job& job, WallTime due) override {
    if (auto bad = refused(queue, job)) return *bad;
    const auto added = locked([&] { return add(queue, job.key, job, micros(due)); });
    if (!added) return failed(added.error());
    bell_.ring();
    return *added ? Enqueued::added : Enqueued::present;
  }

  Expected<std::optional<Claim>> claim(const std::string& queue, Duration lease,
                                       Duration wait) override {
    const MonoTime began = MonoClock::now();
    for (;;) {
      const std::uint64_t heard = bell_.rings();
      std::optional<Claim> taken;
      const auto tried = locked([&] { return try_claim(queue, lease, taken); });
      if (!tried) return failed(tried.error());
      if (taken) return taken;
      if (*tried <= Duration::zero()) continue;  // there may be another
      const Duration left = wait - (MonoClock::now() - began);
      if (left <= Duration::zero()) return std::nullopt;
      bell_.wait(heard, std::min(left, *tried));
    }
  }

  Expected<Held> renew(const Claim& claim, Duration lease) override {
    return held(locked([&] { return session_->run(kRenew, held_by(claim, {from_now(lease)})); }));
  }

  Expected<Held> settle(const Claim& claim, const Settlement& settlement) override {
    if (settlement.kind != Settlement::Kind::done)
      if (auto bad = refused(settlement.queue, settlement.job)) return *bad;
    const auto changed = locked([&] { return settled(claim, settlement); });
    if (changed && settlement.kind != Settlement::Kind::done) bell_.ring();
    return held(changed);
  }

  Expected<QueueFigures> figures(const std::string& queue) override {
    const Microseconds now = micros(wall_now());
    QueueFigures figures;
    const std::lock_guard lock(reading_mutex_);
    const auto read = reading_->run(kFigures, {queue, now}, [&](const SqlRow& row) {
      figures.ready = static_cast<std::uint64_t>(whole(row, 0));
      figures.claimed = static_cast<std::uint64_t>(whole(row, 1));
      figures.parked = static_cast<std::uint64_t>(whole(row, 2));
      figures.dead = static_cast<std::uint64_t>(whole(row, 3));
      if (figures.ready > 0) figures.lag = std::chrono::microseconds(now - whole(row, 4));
    });
    if (!read) return failed(read.error());
    return figures;
  }

  Expected<std::vector<Job>> dead(const std::string& queue, std::size_t at_most) override {
    auto found = older_than(queue, std::numeric_limits<std::int64_t>::max(),
                            static_cast<std::int64_t>(std::min<std::size_t>(at_most, INT32_MAX)));
    if (!found) return found.error();
    std::vector<Job> out;
    for (DeadJob& each : *found) out.push_back(std::move(each.job));
    return out;
  }

  Expected<std::uint64_t> revive(const std::string& queue,
                                 const std::function<bool(Job&)>& choose) override {
    std::uint64_t revived = 0;
    for (std::int64_t before = std::numeric_limits<std::int64_t>::max();;) {
      const auto found = older_than(queue, before, kBatch);
      if (!found) return found.error();
      if (found->empty()) break;
      before = found->back().id;
      const auto taken = take_back(queue, *found, choose);
      if (!taken) return taken.error();
      revived += *taken;
    }
    return revived;
  }

 private:
  template <class Work>
  std::invoke_result_t<Work> locked(const Work& work) {
    const std::lock_guard lock(mutex_);
    return work();
  }

  // In the words of the port.
  Failure failed(const Failure& failure) const {
    Errc code = failure.code == Errc::limit ? Errc::stalled : failure.code;
    if (code != Errc::stalled && code != Errc::refused && code != Errc::bad_input) code = Errc::io;
    return {code, config_.file + ": " + failure.detail};
  }

  Expected<Held> held(const Expected<std::uint64_t>& changed) const {
    if (!changed) return failed(changed.error());
    return *changed == 0 ? Held::lost : Held::yes;
  }

  static SqlRow held_by(const Claim& claim, SqlRow others = {}) {
    SqlRow values{claim.queue, claim.id, static_cast<std::int64_t>(claim.fence)};
    std::move(others.begin(), others.end(), std::back_inserter(values));
    return values;
  }

  // Whether it was not there yet. What is there and only waits for a time of its own is due
  // earlier then, but not what failed: its time keeps it from failing again at once.
  Expected<bool> add(const std::string& queue, const std::string& key, const Job& job,
                     Microseconds at) {
    SqlRow values = values_of(key, job);
    values.emplace_back(queue);
    values.emplace_back(at);
    const auto added = session_->run(kAdd, values);
    if (!added) return added.error();
    if (*added > 0) return true;
    const Microseconds then = std::max(at, micros(wall_now()));
    if (auto moved = session_->run(kBringForward, {queue, key, then}); !moved) return moved.error();
    return false;
  }

  struct Next {
    std::string key;
    bool lapsed = false;
    Duration due_in = kLongestPause;  // not positive: now
  };

  Expected<Next> next(const std::string& queue) {
    Next next;
    const Microseconds now = micros(wall_now());
    const auto read = session_->run(kNext, {queue}, [&](const SqlRow& row) {
      const Microseconds in = std::clamp<Microseconds>(whole(row, 0) - now, 0, 1'000'000);
      next.due_in = std::chrono::microseconds(in);
      next.key = std::get<std::string>(row.at(1));
      next.lapsed = whole(row, 2) != 0;
    });
    if (!read) return read.error();
    return next;
  }

  // How long nothing will be due, as far as is known; 0 where one more try may find something.
  Expected<Duration> try_claim(const std::string& queue, Duration lease,
                               std::optional<Claim>& taken) {
    // First without the lock of writers, which those who wait would otherwise fight for.
    const auto seen = next(queue);
    if (!seen) return seen.error();
    if (seen->due_in > Duration::zero())
      return std::min(seen->due_in,
                      kShortestPause + thread_rng().upto(kLongestPause - kShortestPause));
    const auto done = session_->transaction([&]() -> Expected<void> {
      taken.reset();
      const auto first = next(queue);
      if (!first) return first.error();
      if (first->due_in > Duration::zero()) return {};
      return first->lapsed ? claim_lapsed(queue, first->key, lease, taken)
                           : claim_now(queue, first->key, lease, taken);
    });
    if (!done) {
      taken.reset();
      return done.error();
    }
    return Duration::zero();
  }

  Expected<void> claim_now(const std::string& queue, const std::string& key, Duration lease,
                           std::optional<Claim>& taken) {
    std::int64_t fence = 0;
    if (auto got = session_->run(kNewFence, {}, [&](const SqlRow& row) { fence = whole(row, 0); });
        !got)
      return got.error();
    const auto claimed =
        session_->run(kClaim, {queue, key, from_now(lease), fence}, [&](const SqlRow& row) {
          taken = Claim{queue, key, static_cast<std::uint64_t>(fence),
                        static_cast<int>(whole(row, 0)), job_of(row, 1)};
        });
    if (!claimed) return claimed.error();
    return {};
  }

  Expected<void> claim_lapsed(const std::string& queue, const std::string& key, Duration lease,
                              std::optional<Claim>& taken) {
    std::int64_t deliveries = 0;
    const auto read = session_->run(kDeliveries, {queue, key},
                                    [&](const SqlRow& row) { deliveries = whole(row, 0); });
    if (!read) return read.error();
    if (deliveries < config_.deliveries) return claim_now(queue, key, lease, taken);
    Job job;
    const auto removed =
        session_->run(kTakeLapsed, {queue, key}, [&](const SqlRow& row) { job = job_of(row, 0); });
    if (!removed) return removed.error();
    job.failure = "deliveries";
    job.detail = fmt::format("It was claimed {} times and never settled.", deliveries);
    return bury(*session_, queue, key, job, config_.most_dead);
  }

  // How many were held: one or none.
  Expected<std::uint64_t> settled(const Claim& claim, const Settlement& settlement) {
    switch (settlement.kind) {
      case Settlement::Kind::done:
        return session_->run(kDone, held_by(claim));
      case Settlement::Kind::later: {
        SqlRow values = values_of(claim.id, settlement.job);
        values.front() = micros(settlement.due);  // in the place of the key, which stays
        return session_->run(kPutBack, held_by(claim, std::move(values)));
      }
      case Settlement::Kind::dead:
        return moved(claim, [&] {
          return bury(*session_, claim.queue, claim.id, settlement.job, config_.most_dead);
        });
      case Settlement::Kind::handed_on:
        return moved(claim, [&]() -> Expected<void> {
          const auto added = add(settlement.queue, claim.id, settlement.job, micros(wall_now()));
          if (!added) return added.error();
          return {};
        });
    }
    return Failure{Errc::internal, "no such settlement"};
  }

  Expected<std::uint64_t> moved(const Claim& claim, const std::function<Expected<void>()>& to) {
    std::uint64_t removed = 0;
    const auto done = session_->transaction([&]() -> Expected<void> {
      const auto taken = session_->run(kDone, held_by(claim));
      if (!taken) return taken.error();
      removed = *taken;
      return removed > 0 ? to() : Expected<void>();
    });
    if (!done) return done.error();
    return removed;
  }

  Expected<std::vector<DeadJob>> older_than(const std::string& queue, std::int64_t id,
                                            std::int64_t at_most) {
    const std::lock_guard lock(reading_mutex_);
    auto found = dead_before(*reading_, queue, id, at_most);
    if (!found) return failed(found.error());
    return found;
  }

  // `choose` runs under no lock, so that it may take its time; whoever else takes one of these
  // back in the meantime has it.
  Expected<std::uint64_t> take_back(const std::string& queue, const std::vector<DeadJob>& found,
                                    const std::function<bool(Job&)>& choose) {
    std::vector<DeadJob> chosen;
    for (DeadJob each : found) {
      if (!choose(each.job)) continue;
      if (auto bad = refused(queue, each.job)) return *bad;
      chosen.push_back(std::move(each));
    }
    if (chosen.empty()) return 0U;
    std::uint64_t taken = 0;
    const auto done = locked([&] {
      return session_->transaction([&]() -> Expected<void> {
        taken = 0;
        for (const DeadJob& each : chosen)
          if (auto back = revive_one(queue, each, taken); !back) return back;
        return {};
      });
    });
    if (!done) return failed(done.error());
    bell_.ring();
    return taken;
  }

  Expected<void> revive_one(const std::string& queue, const DeadJob& each, std::uint64_t& taken) {
    const auto ours = exhume(*session_, queue, each.id);
    if (!ours) return ours.error();
    if (!*ours) return {};
    const auto added = add(queue, each.key, each.job, micros(wall_now()));
    if (!added) return added.error();
    if (*added) ++taken;  // else its work is waiting already
    return {};
  }

  const QueueConfig config_;
  // One session for all threads: SQLite has one writer at a time anyway, and who waits for a mutex
  // is woken, where who waits for a lock in the file has to look again and again.
  std::mutex mutex_;
  const std::unique_ptr<SqlSession> session_;
  // Counting a long queue holds nobody up.
  std::mutex reading_mutex_;
  const std::unique_ptr<SqlSession> reading_;
  Bell bell_;
};

}  // namespace

Expected<std::unique_ptr<ports::Queue>> open_queue(const QueueConfig& config) {
  const SessionConfig file{config.file, config.busy};
  auto session = open_queue_file(file);
  if (!session) return session.error();
  auto reading = open_session(file);
  if (!reading) return reading.error();
  return std::unique_ptr<ports::Queue>(
      std::make_unique<Queue>(config, std::move(*session), std::move(*reading)));
}

}  // namespace tanggul::sqlite
