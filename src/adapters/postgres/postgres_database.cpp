#include "adapters/postgres/postgres_database.h"

#include <boost/asio/this_coro.hpp>

#include "adapters/postgres/pool.h"

namespace tanggul::postgres {
namespace {

namespace sql = registry::sql;

class PostgresDatabase final : public ports::Database {
 public:
  PostgresDatabase(async::Executor executor, DatabaseConfig config)
      : config_(std::make_shared<const DatabaseConfig>(std::move(config))),
        pool_(std::make_shared<Pool>(executor, config_)) {}
  ~PostgresDatabase() override { pool_->close(); }

  Task<ports::FetchEnd> fetch(const ports::OriginRequest& request, ports::ResponseSink& sink,
                              ports::Cancellation& cancel) override {
    const auto job = std::make_shared<Job>();
    if (!read(request, *job))
      co_return sql::without_answer(Errc::internal, "the target holds no values");
    if (auto refusal = refused(*job)) co_return sql::deliver(*refusal, request, sink);
    job->waiter = async::Waiter::make(co_await boost::asio::this_coro::executor);
    // The pool may outlive this object, and serves those who have begun.
    const auto pool = pool_;
    pool->submit(job);
    const auto given_up = [&](Errc why, std::string_view detail) {
      pool->give_up(job);
      return sql::without_answer(why, detail);
    };
    while (!job->done) {
      if (cancel.cancelled()) co_return given_up(Errc::cancelled, "nobody waits for it any more");
      if (MonoClock::now() >= job->deadline)
        co_return job->taken ? given_up(Errc::first_byte_timeout, "the query's deadline is over")
                             : given_up(Errc::limit, "no connection was free in time");
      cancel.bind(job->waiter);
      co_await job->waiter->wait_until(job->deadline);
    }
    if (job->fault) co_return sql::without_answer(job->fault->code, words_of(job->fault->code));
    co_return sql::deliver(job->answer, request, sink);
  }

  ports::Database::Figures pool() const override { return pool_->figures(); }
  void close() override { pool_->close(); }

 private:
  // What the server has said is the log's: it names users, addresses and databases.
  static std::string_view words_of(Errc code) {
    switch (code) {
      case Errc::connect_timeout:
        return "no connection to the database in time";
      case Errc::first_byte_timeout:
        return "the query's deadline is over";
      case Errc::reset:
      case Errc::stale_connection:
        return "the connection to the database broke";
      case Errc::cancelled:
        return "nobody waits for it any more";
      default:
        return "no connection to the database";
    }
  }

  bool read(const ports::OriginRequest& request, Job& job) const {
    auto asked = sql::read_asked(request.target, config_->query.parameters.size());
    if (!asked) return false;
    job.probe = asked->probe;
    job.values = std::move(asked->values);
    job.fresh = request.fresh_connection;
    job.deadline = std::min(request.deadline, MonoClock::now() + config_->statement);
    return true;
  }

  // What is known to be refused takes nobody's connection.
  std::optional<sql::Answer> refused(Job& job) const {
    const StatementPtr known = job.probe ? nullptr : pool_->statement();
    if (!known) return std::nullopt;
    const auto wrong = fault_of_values(*known, config_->query, job.values);
    if (!wrong) return std::nullopt;
    return sql::Answer::refused(config_->query.origin, *wrong);
  }

  const std::shared_ptr<const DatabaseConfig> config_;
  const std::shared_ptr<Pool> pool_;
};

}  // namespace

std::shared_ptr<ports::Database> make_database(async::Executor executor, DatabaseConfig config) {
  return std::make_shared<PostgresDatabase>(executor, std::move(config));
}

}  // namespace tanggul::postgres
