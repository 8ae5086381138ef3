#include "adapters/postgres/session.h"

#include <fmt/format.h>

#include "base/log.h"
#include "base/rarely.h"
#include "registry/sql/row_json.h"

namespace tanggul::postgres {
namespace {

namespace sql = registry::sql;
using sql::Answer;

// Text forms that can be turned into JSON without loss, and nothing written.
std::string set_up(const DatabaseConfig& config) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(config.statement).count();
  return fmt::format(
      "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; SET statement_timeout = {}; "
      "SET idle_in_transaction_session_timeout = {}; SET DateStyle = 'ISO, YMD'; "
      "SET IntervalStyle = 'iso_8601'; SET TimeZone = 'UTC'; SET bytea_output = 'hex'; "
      "SET extra_float_digits = 1",
      milliseconds, milliseconds);
}

// Values that the server would not take for what their parameter is.
bool is_about_a_value(std::string_view state) {
  return state == "22P02" || state == "22003" || state == "22007" || state == "22008";
}

// The statement is not there any more, or its table has other columns than when it was prepared.
bool must_prepare_again(const Fault& fault) {
  return fault.state == "26000" || fault.state == "0A000";
}

std::string statement_name(int number) { return fmt::format("tanggul_{}", number); }

}  // namespace

Session::Session(async::Executor executor, std::shared_ptr<const DatabaseConfig> config)
    : config_(std::move(config)), connection_(std::make_shared<Connection>(executor)) {}

Task<std::optional<Fault>> Session::open() {
  return connection_->open(config_->address, set_up(*config_), MonoClock::now() + config_->connect);
}

Task<std::optional<Fault>> Session::prepare(JobPtr job) {
  const auto given_up = [job] { return job->given_up.load(); };
  const std::string name = statement_name(++prepared_);
  Connection::Ended made = co_await connection_->prepare(name, config_->query.text, given_up);
  if (made.fault) co_return std::move(made.fault);
  Connection::Ended told = co_await connection_->describe(name, given_up);
  if (told.fault) co_return std::move(told.fault);
  std::string wrong;
  auto statement = std::make_shared<Statement>(described(*told.last, config_->query, wrong));
  if (!wrong.empty()) co_return Fault{Errc::internal, "-", wrong};
  statement_ = std::move(statement);
  co_return std::nullopt;
}

Task<Connection::Ended> Session::ask(JobPtr job, bool& too_large) {
  sql::RowsJson rows(statement_->columns, config_->query.many);
  std::vector<const char*> values;
  for (const auto& value : job->values) values.push_back(value ? value->c_str() : nullptr);
  const auto take = [&](const PGresult& result) {
    if (too_large || !rows.begin_row()) return;
    for (int i = 0; i < PQnfields(&result); ++i) {
      std::string& out = rows.value();
      if (PQgetisnull(&result, 0, i) != 0) {
        out += "null";
        continue;
      }
      const auto length = static_cast<std::size_t>(PQgetlength(&result, 0, i));
      append_value(PQftype(&result, i), {PQgetvalue(&result, 0, i), length}, out);
    }
    rows.end_row();
    too_large = rows.size() > config_->query.max_object;
  };
  // Of a result that is too large the rest is not worth sending.
  const auto given_up = [job, &too_large] { return job->given_up.load() || too_large; };
  Connection::Ended ended =
      co_await connection_->query(statement_name(prepared_), std::move(values), given_up, take);
  rows_ = rows.rows();
  if (!ended.fault && !too_large) json_ = rows.finish();
  co_return ended;
}

Task<void> Session::run(JobPtr job) {
  const auto given_up = [job] { return job->given_up.load(); };
  if (job->probe) {
    Connection::Ended ended = co_await connection_->simple("SELECT 1", job->deadline, given_up);
    job->answer.status = 204;
    job->fault = std::move(ended.fault);
    co_await connection_->settle();
    co_return;
  }
  for (bool again = false;; again = true) {
    if (!statement_) job->fault = co_await prepare(job);
    if (job->fault) break;
    if (auto wrong = fault_of_values(*statement_, config_->query, job->values)) {
      job->answer = Answer::refused(config_->query.origin, *wrong);
      co_return;
    }
    bool too_large = false;
    Connection::Ended ended = co_await ask(job, too_large);
    if (ended.fault && must_prepare_again(*ended.fault) && !again && !job->given_up.load()) {
      statement_.reset();
      continue;
    }
    judge(*job, std::move(ended), too_large);
    break;
  }
  if (job->fault && job->fault->code == Errc::internal) {
    tell(*job->fault);
    job->fault.reset();
    job->answer = Answer::failed(config_->query.origin);
  }
  // One that had died while it was idle was no try.
  if (job->fault && job->fault->code == Errc::reset && job->fault->state.empty() && used_)
    job->fault->code = Errc::stale_connection;
  used_ = true;
  co_await connection_->settle();
}

void Session::judge(Job& job, Connection::Ended ended, bool too_large) {
  const std::string& origin = config_->query.origin;
  if (too_large && !job.given_up.load()) {
    log::warn("{}: a result is over max_object and was not taken", origin);
    job.answer = Answer::too_large(origin);
  } else if (!ended.fault) {
    job.answer =
        rows_ == 0 && !config_->query.many ? Answer::none(origin) : Answer::rows(std::move(json_));
  } else if (ended.fault->state == "57014") {  // by us, or by its statement_timeout
    ended.fault->code = Errc::first_byte_timeout;
    job.fault = std::move(ended.fault);
  } else if (is_about_a_value(ended.fault->state) && judged_by_server(*statement_)) {
    job.answer = Answer::refused(origin, "the database does not take it for what it must be");
  } else {
    job.fault = std::move(ended.fault);
  }
}

// The operator's log alone is told what the server says: it may quote data.
void Session::tell(const Fault& fault) const {
  static Rarely rarely(1s);
  if (rarely.now()) log::warn("{}: the query failed: {}", config_->query.origin, fault.words());
}

}  // namespace tanggul::postgres
