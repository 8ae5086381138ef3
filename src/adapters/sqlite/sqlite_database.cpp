#include "adapters/sqlite/sqlite_database.h"

#include <boost/asio/this_coro.hpp>
#include <deque>
#include <thread>

#include "adapters/sqlite/connection.h"
#include "async/offload.h"
#include "async/waiter.h"
#include "base/mutex.h"

namespace tanggul::sqlite {
namespace {

namespace sql = registry::sql;

// As many threads as connections: whoever has a thread has a connection.
class SqliteDatabase final : public ports::Database {
 public:
  explicit SqliteDatabase(DatabaseConfig config)
      : shared_(std::make_shared<Shared>(std::move(config))) {}
  ~SqliteDatabase() override {
    close();
    shared_->threads.finish();
  }

  Task<ports::FetchEnd> fetch(const ports::OriginRequest& request, ports::ResponseSink& sink,
                              ports::Cancellation& cancel) override {
    struct Asked {
      Job job;
      Ran ran;
      std::atomic<bool> done{false};
    };
    const auto asked = std::make_shared<Asked>();
    Job& job = asked->job;
    if (!read(request, job))
      co_return sql::without_answer(Errc::internal, "the target holds no values");
    const auto waiter = async::Waiter::make(co_await boost::asio::this_coro::executor);
    const auto shared = shared_;
    shared->count_waiting(1);
    shared->threads.post([shared, asked, waiter] {
      shared->count_waiting(-1);
      if (!asked->job.given_up) asked->ran = shared->run(asked->job);
      asked->done = true;
      waiter->wake();
    });
    while (!asked->done) {
      const bool over = MonoClock::now() >= job.deadline;
      if (over || cancel.cancelled()) {
        job.given_up = true;
        if (!over) co_return sql::without_answer(Errc::cancelled, "nobody waits for it any more");
        co_return sql::without_answer(
            job.taken ? Errc::first_byte_timeout : Errc::limit,
            job.taken ? "the query's deadline is over" : "no connection was free in time");
      }
      cancel.bind(waiter);
      co_await waiter->wait_until(job.deadline);
    }
    if (asked->ran.error)
      co_return sql::without_answer(*asked->ran.error, words_of(*asked->ran.error));
    co_return sql::deliver(asked->ran.answer, request, sink);
  }

  Figures pool() const override {
    const Lock lock(shared_->mutex);
    Figures figures;
    figures.size = static_cast<std::size_t>(shared_->config->pool);
    figures.busy = shared_->running.size();
    figures.idle = shared_->free.size();
    figures.waiting = shared_->waiting;
    return figures;
  }
  void close() override {
    const Lock lock(shared_->mutex);
    shared_->closed = true;
    for (Job* job : shared_->running) job->given_up = true;
  }

 private:
  struct Shared {
    explicit Shared(DatabaseConfig c)
        : config(std::make_shared<const DatabaseConfig>(std::move(c))),
          threads(static_cast<unsigned>(config->pool)) {}

    Ran run(Job& job) {
      std::unique_ptr<Connection> connection;
      {
        const Lock lock(mutex);
        if (closed) return {{}, Errc::cancelled, "the database is closed"};
        job.taken = true;
        running.push_back(&job);
        if (!free.empty()) {
          connection = std::move(free.back());
          free.pop_back();
        }
      }
      Ran ran;
      try {
        if (!connection) connection = std::make_unique<Connection>(config);
        ran = connection->run(job);
      } catch (const std::exception& e) {
        ran.error = Errc::internal;
        ran.detail = e.what();
        connection.reset();
      }
      const Lock lock(mutex);
      std::erase(running, &job);
      if (connection) free.push_back(std::move(connection));
      return ran;
    }
    void count_waiting(int more) {
      const Lock lock(mutex);
      waiting += static_cast<std::size_t>(more);
    }

    const std::shared_ptr<const DatabaseConfig> config;
    mutable Mutex mutex;
    std::vector<std::unique_ptr<Connection>> free GUARDED_BY(mutex);
    std::vector<Job*> running GUARDED_BY(mutex);
    std::size_t waiting GUARDED_BY(mutex) = 0;
    bool closed GUARDED_BY(mutex) = false;
    async::Offload threads;
  };

  // What SQLite has said is the log's.
  static std::string_view words_of(Errc code) {
    if (code == Errc::refused) return "the database cannot be opened";
    return code == Errc::first_byte_timeout ? "the query's deadline is over"
                                            : "the query has ended";
  }

  bool read(const ports::OriginRequest& request, Job& job) const {
    auto asked = sql::read_asked(request.target, shared_->config->query.parameters.size());
    if (!asked) return false;
    job.probe = asked->probe;
    job.values = std::move(asked->values);
    job.deadline = std::min(request.deadline, MonoClock::now() + shared_->config->deadline);
    return true;
  }

  const std::shared_ptr<Shared> shared_;
};

}  // namespace

std::shared_ptr<ports::Database> make_database(DatabaseConfig config) {
  return std::make_shared<SqliteDatabase>(std::move(config));
}

}  // namespace tanggul::sqlite
