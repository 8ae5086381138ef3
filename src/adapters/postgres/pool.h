#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/postgres/session.h"
#include "base/mutex.h"
#include "ports/database.h"
#include "tanggul/base/random.h"

namespace tanggul::postgres {

// Queries and the connections that run them. submit(), give_up(), figures(), statement() and
// close() from any thread, all else on the executor. Held by its connections' coroutines too.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  Pool(async::Executor executor, std::shared_ptr<const DatabaseConfig> config);

  void submit(JobPtr job);
  // Nobody wants it any more: it is taken out of the queue, or its query is cancelled.
  void give_up(JobPtr job);
  ports::Database::Figures figures() const;
  // What the last connection was told of the query; null: there was none yet.
  StatementPtr statement() const;
  // Takes no more, and cancels what runs. The executor must still be there the first time.
  void close();

 private:
  // One of the places for a connection.
  struct Place {
    std::shared_ptr<Session> session;
    bool opening = false, idle = false;
    bool called = false;  // was idle and will look into the queue
    JobPtr job;           // that it runs
  };
  using PlacePtr = std::shared_ptr<Place>;

  void take_in(JobPtr job);
  void enlist();
  std::size_t call(std::size_t most);
  void open_more(std::size_t most);
  void enlist_later();
  void end();
  Task<void> live(PlacePtr place);
  Task<bool> open(PlacePtr place);
  Task<void> run(PlacePtr place, JobPtr job);
  JobPtr next(bool fresh);
  bool is_ours(const PlacePtr& place) const;
  void retire(PlacePtr place);
  void fail_all(const Fault& fault);
  void count();

  const async::Executor executor_;
  const std::shared_ptr<const DatabaseConfig> config_;
  const std::shared_ptr<FaultLog> faults_;

  // --- on the executor ---
  std::deque<JobPtr> queue_;
  std::vector<PlacePtr> places_;
  bool ended_ = false;
  bool enlists_later_ = false;
  // After a connection could not be opened the next is not tried at once, however many ask.
  int failed_ = 0;
  MonoTime not_before_{};
  Fault last_fault_;

  std::atomic<bool> closed_{false};
  mutable Mutex mutex_;
  ports::Database::Figures figures_ GUARDED_BY(mutex_);
  StatementPtr statement_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::postgres
