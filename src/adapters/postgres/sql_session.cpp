#include "adapters/postgres/sql_session.h"

#include <thread>
#include <utility>

#include "adapters/postgres/address.h"
#include "adapters/postgres/sql_link.h"
#include "tanggul/policy/backoff.h"

namespace tanggul::postgres {
namespace {

using ports::SqlRow;

constexpr policy::BackoffConfig kBetweenConflicts{.attempts = 6, .base = 10ms, .cap = 1s};

// Doing the whole again may help: another's transaction was in the way. 23505 is among them where
// both have made the same row (PostgreSQL's documentation, 13.5).
bool is_conflict(std::string_view state) {
  return state == "40001" || state == "40P01" || state == "23505";
}

class BlockingSession final : public ports::SqlSession {
 public:
  explicit BlockingSession(SqlSessionConfig config) : config_(std::move(config)) {}

  ports::SqlDialect dialect() const noexcept override { return ports::SqlDialect::postgres; }

  Expected<std::uint64_t> run(std::string_view statement, const SqlRow& values,
                              const EachRow& row) override {
    if (auto open = opened(); !open) return open.error();
    return told(link_->run(statement, values, row));
  }

  Expected<void> script(std::string_view statements) override {
    if (auto open = opened(); !open) return open.error();
    if (auto done = told(link_->script(statements)); !done) return done.error();
    return {};
  }

  Expected<void> transaction(const std::function<Expected<void>()>& work) override {
    for (int attempt = 0;; ++attempt) {
      auto done = once(work);
      if (done || !is_conflict(state_)) return done;
      if (attempt + 1 == kBetweenConflicts.attempts)
        return Failure{Errc::limit, done.error().detail};
      std::this_thread::sleep_for(policy::full_jitter(kBetweenConflicts, attempt, thread_rng()));
    }
  }

 private:
  // Within a transaction a lost connection is not opened anew: what was done in it is undone.
  Expected<void> opened() {
    if (link_ && link_->broken()) link_.reset();
    if (link_) return {};
    if (in_transaction_) return Failure{Errc::reset, "the connection was lost"};
    auto link = SqlLink::open(config_);
    if (!link) return link.error();
    link_ = std::move(*link);
    return {};
  }

  Expected<std::uint64_t> told(SqlLink::Ended ended) {
    state_.clear();
    if (ended) return *ended;
    state_ = ended.error().state;
    return ended.error().failure;
  }

  Expected<void> once(const std::function<Expected<void>()>& work) {
    state_.clear();
    if (auto begun = run("BEGIN ISOLATION LEVEL READ COMMITTED", {}, {}); !begun)
      return begun.error();
    in_transaction_ = true;
    struct Undo {
      BlockingSession& session;
      ~Undo() { session.undo(); }
    } const at_the_end{*this};  // an exception's way out too; after COMMIT it does nothing
    if (auto done = work(); !done) return done.error();
    // COMMIT of a transaction in which a statement has failed is a ROLLBACK that succeeds.
    if (link_ && link_->transaction_failed())
      return Failure{Errc::internal, "a statement of the transaction has failed"};
    if (auto committed = run("COMMIT", {}, {}); !committed) return committed.error();
    return {};
  }

  void undo() {
    in_transaction_ = false;
    if (!link_ || link_->broken() || !link_->in_transaction()) return;
    const std::string state = std::exchange(state_, {});
    (void)run("ROLLBACK", {}, {});
    state_ = state;
  }

  const SqlSessionConfig config_;
  std::unique_ptr<SqlLink> link_;
  bool in_transaction_ = false;
  std::string state_;  // of the last statement, if it has failed
};

}  // namespace

Expected<std::unique_ptr<ports::SqlSession>> open_sql_session(SqlSessionConfig config) {
  if (std::string wrong = fault_of_address(config.address); !wrong.empty())
    return Failure{Errc::refused, wrong};
  return std::unique_ptr<ports::SqlSession>(std::make_unique<BlockingSession>(std::move(config)));
}

}  // namespace tanggul::postgres
